package page

var languages = map[string]*Language{"en": &english, "pt": &portuguese, "es": &spanish, "fr": &french}

var english = Language{Tag: "en", words: map[string]words{
	Starting:     {"Starting", "It opens here by itself in a moment. You can leave this page open."},
	Full:         {"All places are taken", "It opens here by itself as soon as a place is free."},
	Failed:       {"It could not start", "We try again by ourselves. If this lasts, tell whoever runs this service."},
	ShuttingDown: {"Back in a moment", "The service is being restarted. This page goes on by itself."},
}}

var portuguese = Language{Tag: "pt-BR", words: map[string]words{
	Starting:     {"Iniciando", "Abre aqui automaticamente em instantes. Você pode deixar esta página aberta."},
	Full:         {"Todos os lugares estão ocupados", "Abre aqui automaticamente assim que um lugar ficar livre."},
	Failed:       {"Não foi possível iniciar", "Tentamos de novo automaticamente. Se continuar assim, avise quem cuida deste serviço."},
	ShuttingDown: {"Voltamos em instantes", "O serviço está sendo reiniciado. Esta página continua automaticamente."},
}}

var spanish = Language{Tag: "es", words: map[string]words{
	Starting:     {"Iniciando", "Se abre aquí por sí sola en un momento. Puede dejar esta página abierta."},
	Full:         {"Todas las plazas están ocupadas", "Se abre aquí por sí sola en cuanto quede una plaza libre."},
	Failed:       {"No se pudo iniciar", "Lo intentamos de nuevo automáticamente. Si continúa, avise a quien administra este servicio."},
	ShuttingDown: {"Volvemos en un momento", "El servicio se está reiniciando. Esta página continúa por sí sola."},
}}

var french = Language{Tag: "fr", words: map[string]words{
	Starting:     {"Démarrage", "L’application s’ouvre ici d’elle-même dans un instant. Vous pouvez laisser cette page ouverte."},
	Full:         {"Toutes les places sont prises", "L’application s’ouvre ici d’elle-même dès qu’une place se libère."},
	Failed:       {"Impossible de démarrer", "Nous réessayons automatiquement. Si cela dure, prévenez la personne qui gère ce service."},
	ShuttingDown: {"De retour dans un instant", "Le service redémarre. Cette page continue d’elle-même."},
}}
