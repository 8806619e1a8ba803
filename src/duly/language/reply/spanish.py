"""Spanish."""

from __future__ import annotations

from duly.language.reply.lexicon import Amounts, Lexicon, Times, words
from duly.language.reply.roles import Role

_MACROS = {
    "did": (
        "tomé|hice|terminé|acabé|bebí|comí|completé|pagué|llamé|envié|mandé|compré|cumplí|realicé|tragué|regué"
        "|limpié|lavé|reservé|entregué|cerré|tomamos|hicimos|terminamos"
    ),
    "done": (
        "tomado|hecho|terminado|acabado|bebido|comido|completado|pagado|llamado|enviado|mandado|comprado|cumplido"
        "|realizado|tragado|regado|limpiado|lavado|reservado|entregado|cerrado"
    ),
    "bare": (
        "hecho|listo|lista|terminado|acabado|completado|completo|cumplido|realizado|tomado|tomada|tomadas|pagado"
        "|enviado|entregado|finalizado|hecha|solucionado"
    ),
    "medicine": (
        "pastilla|pastillas|medicina|medicinas|medicamento|medicamentos|píldora|píldoras|vitamina|vitaminas|dosis"
        "|gotas|agua|tableta|tabletas|remedio"
    ),
    "yes": "=sí|si",
    "them": "lo|la|los|las|me lo|me la|me los|me las|se lo|le|les|me",
    "thing": "todo|eso|esto|(la|las|el|los|mi|mis|mis dos) {medicine}",
    "have": "he|hemos",
    "just": "ahora mismo|recién|justo|justo ahora|por fin|hoy|esta mañana",
    "already": "ya|ya mismo",
    "again": "otra vez|de nuevo|nuevamente|por favor|porfa|porfavor",
    "about": "unos|unas|como|aproximadamente|más o menos|otros|otras|quizás|quizá|solo|otro|otra",
    "when": "(en|dentro de) [{about}] <duration>|(por|durante|tras) [{about}] <duration>|<time>",
    "soon": (
        "luego|dentro de un (rato|ratito|momento)"
        "|más tarde|después|un poco más tarde|tal vez luego|quizás luego|quizás más tarde|tal vez más tarde"
        "|pronto|ahorita|en un (rato|ratito|momento|momentito|rato más)|al rato|en seguida|enseguida|en breve"
        "|en unos minutos|otro día|en otro momento"
    ),
    "now": "ahora|ahora mismo|ahorita|por ahora|en este momento|de momento|por el momento",
    "could": "puedes|puede|podrías|podría|puedes por favor|podrías por favor",
    "reminder": "lo|esto|eso|el recordatorio|recordatorio|este recordatorio|la alarma|alarma",
    "act": "hago|tomo|haré|tomaré|termino|terminaré|hacerlo|tomarlo|tomarla|tomármela|tomármelo|hacer|tomar",
    "drop": (
        "cancela|cancelar|cancélalo|cancele|para|parar|stop|detén|detente|basta|omite|omitir|omítelo|salta|saltar"
        "|sáltalo|sáltatelo|detenlo|olvida|olvídalo|olvídate|ignora|ignorar|ignóralo|déjalo|borra|bórralo|borrar"
        "|elimina|eliminar|elimínalo|descarta|descartar|descártalo|quita|quítalo|anula|anular|anúlalo|termina ya"
        "|suspende|páralo|apágalo|alto|déjalo estar"
    ),
}
_PHRASES = {
    Role.YES: """
ya|=sí|si|sip|sipi|claro|claro que sí|por supuesto|vale|de acuerdo|bueno|bien|correcto|exacto
está bien|todo bien|todo en orden|todo ok|confirmado|confirmo|así es|seguro|desde luego|dale|eso es|cierto|ándale|yes
{yes} (claro|señor|señora|por supuesto|ya)""",
    Role.HEARD: """
entendido|[lo] entiendo|comprendido|recibido|anotado|tomo nota
muy bien|perfecto|genial|estupendo|excelente|fantástico|suena bien|qué bien""",
    Role.DONE: """
[todo|está|ya está|todo está|tarea] {bare} [todo|gracias]|ya (está|esta) [{bare}]|todo (está|esta) {bare}
ya (estuvo|quedó)|eso ya está|misión cumplida
({them}) {did} [{thing}]|(tomé|bebí|hice|terminé|pagué|llamé|envié|acabé) [{thing}]
(tome|hice) (la|las|mi|mis) {medicine}
[{them}] {have} {done} [{thing}]|[la|las|mi|mis|el|los] {medicine} (tomada|tomadas|tomado|tomados)""",
    Role.ALREADY: """
[ya] [yo] ya [{them}] {did} [{thing}] [ya|hoy|esta mañana|todo]
ya [{them}] (tome|termine|acabe|pague|llame|complete) [{thing}]|[yo] ({them}) {did} [{thing}] [ya|{just}]
ya [{them}] {have} {done} [{thing}]|[{them}] {have} {done} ya [{thing}]|ya (está|estaba|quedó|están) {bare}
(acabo|acabamos) de (hacerlo|tomarlo|tomarla|tomármelo|tomármela|tomarlas|tomar {thing}|terminar|terminarlo)
(acabo|acabamos) de (hacer eso|hacer)|[{them}] acabo de (tomar|hacer|terminar)|recién [{them}] {did} [{thing}]
yo ya {bare}|ya {bare}|{bare} ya
[ya] [{them}] ({did}|{have} {done}) [{thing}] hace [{about}] <duration>
hace [{about}] <duration> [que] [ya] [{them}] ({did}|{have} {done}) [{thing}]|{bare} hace [{about}] <duration>
[ya] ({them}) tome hace <duration>|[ya] {bare} esta mañana|(hoy|esta mañana) [ya] {them} {did} [{thing}]""",
    Role.NO: "no|nop|nope|nel",
    Role.DROP: """
{drop} [{reminder}] [por favor|ya|así|hoy|por hoy|esta vez|ahora]
no [me] hace falta [ya|hoy|gracias]|no es necesario|no es [ya] necesario|ya no [me] hace falta|ya no es necesario
no hay necesidad|no se necesita|ya no|[ya] no lo necesito [más|ya]|no necesito [{thing}|nada]
innecesario
no importa|da igual
déjame (en paz|tranquilo|tranquila)|(deja|para) de (recordarme|recordármelo|molestar|molestarme)
no me lo recuerdes [más]
no me recuerdes [más]|no más|ya basta|me da igual""",
    Role.REFUSE: """
no hoy|hoy no|por hoy no|esta vez no|no lo quiero [más]|no quiero [{thing}|más|hacerlo|tomarlo|tomarla]
no me interesa|paso|no lo haré
no voy a (hacerlo|tomarlo|tomarla)|nada de eso""",
    Role.LATER: """
{soon}|{now} no|no {now}|aún no|todavía no|no todavía|no aún|por ahora no|no por ahora|no de momento|no puedo {now}
{now} no puedo|no puedo|no en este momento|mejor {soon}|mejor {when}|en otro rato|más adelante|ahora no gracias
más ratito|un rato|un ratito
[estoy|ando|sigo] [muy|un poco|algo|ahora] (ocupado|ocupada|liado|liada) [{now}]|{now} estoy (ocupado|ocupada)
no tengo tiempo [{now}]|sin tiempo|estoy en una reunión|en una reunión|estoy conduciendo
(espera|espere|espérame|espérate|aguarda|aguanta) [un (momento|poco|segundo|rato|ratito|minutito)|{when}|<duration>]
un (momento|momentito|segundo|segundito|instante) [por favor]|momento|un poco más [de tiempo]|más tiempo
dame [{about}] (<duration>|un (momento|rato|segundo|poco|ratito|poco más)|más tiempo|unos minutos) [más]
necesito [{about}] (<duration>|más tiempo|un (momento|rato|poco más)|unos minutos) [más]
[en|dentro de] unos (minutos|minutitos) [más]|[en|dentro de] (unos|algunos|pocos) minutos
[solo|otros|otras|otra|otro] [{about}] <duration> [más|después|más tarde|por favor]
[solo|mejor|tal vez|quizás|pero|otra vez] {when} [más|otra vez|por favor|mejor]
(aún|todavía) no [{them}] ({did}|{have} {done}|tome|termine|está {bare}|{have} {bare}|estoy {bare}) [{thing}]
(aún|todavía) no [{them}] terminado [{thing}]|no [{them}] ({did}|{have} {done}) [{thing}] (aún|todavía)
(aún|todavía) no (está|estoy) [{bare}]|no (está|estoy) {bare} (aún|todavía)|(aún|todavía) no {bare}
no [{them}] {have} {done} (aún|todavía)|sigo sin (hacerlo|tomarlo|tomarla)
(aún|todavía) no [{them}] {have} [{thing}] {done}
[estoy|está|ya] casi ({bare}|termino|acabo|{have} {done}|está)|casi [casi]|medio {bare}
[estaré|estoy|estará] {bare} {when}|{bare} en [{about}] <duration>|[estaré|estará] {bare} {soon}
[{them}] {act} [{them}|{thing}] ({soon}|{when}|{now})|({soon}|{when}|{now}) [{them}] {act} [{thing}]|ya voy|voy
voy a (hacerlo|tomarlo|tomarla|hacer eso|tomar {thing}) [{soon}|{when}|{now}]|ahora (voy|mismo voy)|lo haré
lo hago ahora|estoy en (eso|ello|camino)|[lo] estoy haciendo|haciéndolo|[ya] {them} (hago|tomo|haré|tomaré)
(pospón|posponer|pospónlo|aplaza|aplazar|aplázalo|retrasa|retrasar|retrásalo) ({when}|{soon}|<duration>|<number>)
(atrasa|posterga|postergar|postérgalo|snooze|déjalo para|déjalo) ({when}|{soon}|<duration>|<number>)
(pospón|posponer|pospónlo|aplaza|aplazar|aplázalo|retrasa|retrasar) [{reminder}] [{when}|{soon}|<duration>|<number>]
(posterga|postergar) [{reminder}] [{when}|{soon}|<duration>|<number>]""",
    Role.REMIND: """
(recuérdame|recuérdamelo|recordarme|recuérdeme|avísame|pregúntame|despiértame) [{again}] [{when}|{soon}] [{again}]
vuelve a (recordármelo|recordarme|preguntar|preguntarme|avisarme|avisar) [{again}] [{when}|{soon}] [{again}]
(recuérdalo|repite|repítelo|insiste) [{again}] [{when}|{soon}] [{again}]
(otra vez|de nuevo|nuevamente) [{when}|{soon}]
({when}|{soon}) (recuérdame|recuérdamelo|avísame|me lo recuerdas|me avisas) [{again}]""",
    Role.ASK: """
[me] [lo] {could} (recordar|avisar|recordarlo|recordármelo|recordarme|avisarme) [{again}] [{when}|{soon}] [{again}]
(me lo recuerdas|me recuerdas|me avisas|me preguntas) [{again}] [{when}|{soon}] [{again}]
(me das|puedes darme|me puedes dar|podrías darme) [{about}] <duration> [más]""",
    Role.AGO: "hace [{about}] <duration>|hace (un rato|un momento|poco)|recién",
    Role.JOIN: "pero|y|aunque",
    Role.OTHER: """
[muy|qué|tan|todo] (bien|mal|medio) ({bare}|{done})|vale la pena|de hecho|estoy (listo|lista)|para nada
si [ya] [yo] [{them}] ({did}|{have}|está|estaba|están|tome|termine|acabe|acabo)|ya está (bien|bueno)
que ({yes}|ya|está)""",
    Role.MOCK: """
ya [,] (claro|seguro)|{yes} [,] (seguro|hombre|cómo no)|ay {yes} [,] ay {yes}
(oh|ah|uf|jaja|jajaja|haha|lol) [,] (claro|seguro|genial|perfecto|estupendo|excelente|super|qué bien)""",
    Role.PARTING: "hasta luego|nos vemos [luego]|hasta pronto",
    Role.THANKS: "gracias|muchas gracias|mil gracias|muchísimas gracias|te lo agradezco",
    Role.POLITE: """
por favor|porfa|porfavor|perdón|perdona
disculpa|lo siento|gracias por (avisar|recordar|recordarme|recordármelo|el recordatorio)
hola|buenas|buenos días|buenas (tardes|noches)|adiós|chao|ciao|eh|ay|uf|pues|bueno pues|entonces|mira
oye|amigo|amiga|cariño|tío|hombre|jaja|jajaja""",
}
_NUMBERS = {
    word: number
    for number, words in enumerate(
        words(
            "un|una|uno|otra|otro dos tres cuatro cinco seis siete ocho nueve diez once doce trece "
            "catorce quince dieciséis diecisiete "
            "dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco"
        ),
        start=1,
    )
    for word in words.split("|")
} | {"treinta": 30, "cuarenta": 40, "cincuenta": 50, "sesenta": 60, "noventa": 90}

SPANISH = Lexicon(
    code="es",
    phrases=_PHRASES,
    macros=_MACROS,
    amounts=Amounts(
        numbers=_NUMBERS,
        units={
            **dict.fromkeys(words("minuto minutos minutito minutitos min mins m"), 1),
            **dict.fromkeys(words("hora horas horita h hr hrs"), 60),
            **dict.fromkeys(words("día días"), 1440),
            **dict.fromkeys(words("semana semanas"), 10080),
        },
        seconds=frozenset(words("segundo segundos seg")),
        fixed={
            "media hora": 30,
            "media horita": 30,
            "otra media hora": 30,
            "una media hora": 30,
            "cuarto de hora": 15,
            "un cuarto de hora": 15,
            "tres cuartos de hora": 45,
            "hora y media": 90,
            "una hora y media": 90,
        },
        plus=frozenset({"y"}),
        half=frozenset({"media"}),
        more=frozenset({"más"}),
        future="en",
    ),
    times=Times(
        until=("hasta las", "hasta", "no antes de"),
        at="a las",
        openers=frozenset(words("a las la el este esta próximo próxima hoy")),
        days=frozenset(
            words("mañana pasado noche tarde mediodía medianoche lunes martes miércoles jueves viernes sábado domingo")
        ),
        inner=frozenset(
            words("a las la el al por de en y media cuarto menos am pm h hrs horas hoy semana próxima que viene")
        ),
    ),
    negations=frozenset(words("no aún todavía ahora hoy ya")),
    no_negates=True,
)
