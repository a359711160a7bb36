(async () => {
  const main = document.querySelector("main");
  const show = (reason) => {
    const parts = [...main.querySelectorAll("section")];
    const part = parts.find((s) => s.dataset.reason === reason);
    if (!part || main.dataset.reason === reason) return;
    main.dataset.reason = reason;
    for (const s of parts) s.hidden = s !== part;
    document.title = part.querySelector("h1").textContent + " · " + main.querySelector(".app").textContent;
  };
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  for (;;) {
    await pause(400);
    try {
      const answer = await fetch(location.href, {
        headers: { "Fairlead-Probe": "1" }, cache: "no-store", redirect: "manual",
      });
      const reason = answer.headers.get("Fairlead-Reason");
      if (!reason || reason === "ready") return location.reload();
      show(reason);
      if (reason !== "starting") await pause(1600);
    } catch {
      await pause(1600); // the way to us is cut: it may come back
    }
  }
})();
