// Every two seconds the page is asked for again, and what it shows is exchanged.
"use strict";
const every = 2000;
const lost = document.getElementById("lost");

async function renew() {
  try {
    const answer = await fetch(location.pathname, {cache: "no-store", signal: AbortSignal.timeout(5000)});
    if (!answer.ok) throw new Error(answer.status);
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    document.querySelector("main").replaceWith(next.querySelector("main"));
    lost.hidden = true;
  } catch {
    lost.hidden = false;
  }
}

(async () => {
  for (;;) {
    await new Promise((wake) => setTimeout(wake, every));
    if (!document.hidden) await renew();
  }
})();
