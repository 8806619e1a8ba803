"""How people answer a reminder in Spanish."""

from __future__ import annotations

from duly.language.atoms import Unit
from duly.language.replies.form import ReplyRole, ReplyWords

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
    "reminder": (
        "lo|esto|eso|el recordatorio|recordatorio|este recordatorio|la alarma|alarma"
        "|(esta|este|esa|ese) [dosis|toma|{medicine}]"
        "|(la|el) de hoy"
    ),
    "today": "hoy|por hoy|esta vez|esta noche|por esta vez",
    "place": (
        "en el (trabajo|curro|coche|carro|bus|metro|tren|médico|baño|gym|gimnasio|super|cole)"
        "|en (clase|la calle|la ducha|la oficina|la uni|una llamada|camino)"
        "|trabajando|comiendo|fuera|durmiendo|cocinando|manejando|cenando|fuera de casa"
    ),
    "act": "hago|tomo|haré|tomaré|termino|terminaré|hacerlo|tomarlo|tomarla|tomármela|tomármelo|hacer|tomar",
    "drop": (
        "cancela|cancelar|cancélalo|cancele|para|parar|stop|detén|detente|basta|omite|omitir|omítelo|salta|saltar"
        "|sáltalo|sáltatelo|detenlo|olvida|olvídalo|olvídate|ignora|ignorar|ignóralo|déjalo|borra|bórralo|borrar"
        "|elimina|eliminar|elimínalo|descarta|descartar|descártalo|quita|quítalo|anula|anular|anúlalo|termina ya"
        "|suspende|páralo|apágalo|alto|déjalo estar|sáltala|sáltatela|cancélala|bórrala|olvídala|quítala|omítela"
        "|ignórala|elimínala|descártala|anúlala|sáltate|sáltatelas"
    ),
}
_PHRASES = {
    ReplyRole.YES: """
ya|=sí|si|sip|sipi|claro|claro que sí|por supuesto|vale|de acuerdo|bueno|bien|correcto|exacto
está bien|todo bien|todo en orden|todo ok|confirmado|confirmo|así es|seguro|desde luego|dale|eso es|cierto|ándale|yes
{yes} (claro|señor|señora|por supuesto|ya)""",
    ReplyRole.HEARD: """
entendido|[lo] entiendo|comprendido|recibido|anotado|tomo nota
muy bien|perfecto|genial|estupendo|excelente|fantástico|suena bien|qué bien""",
    ReplyRole.DONE: """
[todo|está|ya está|todo está|tarea] {bare} [todo|gracias]|ya (está|esta) [{bare}]|todo (está|esta) {bare}
ya (estuvo|quedó)|eso ya está|misión cumplida
({them}) {did} [{thing}]|(tomé|bebí|hice|terminé|pagué|llamé|envié|acabé) [{thing}]
(tome|hice) (la|las|mi|mis) {medicine}
[{them}] {have} {done} [{thing}]|[la|las|mi|mis|el|los] {medicine} (tomada|tomadas|tomado|tomados)""",
    ReplyRole.ALREADY: """
[ya] [yo] ya [{them}] {did} [{thing}] [ya|hoy|esta mañana|todo]
ya [{them}] (tome|termine|acabe|pague|llame|complete) [{thing}]|[yo] ({them}) {did} [{thing}] [ya|{just}]
ya [{them}] {have} {done} [{thing}]|[{them}] {have} {done} ya [{thing}]|ya (está|estaba|quedó|están) {bare}
(acabo|acabamos) de (hacerlo|tomarlo|tomarla|tomármelo|tomármela|tomarlas|tomar {thing}|terminar|terminarlo)
(acabo|acabamos) de (hacer eso|hacer)|[{them}] acabo de (tomar|hacer|terminar)|recién [{them}] {did} [{thing}]
yo ya {bare}|ya {bare}|{bare} ya
[ya] [{them}] ({did}|{have} {done}) [{thing}] hace [{about}] <duration>
hace [{about}] <duration> [que] [ya] [{them}] ({did}|{have} {done}) [{thing}]|{bare} hace [{about}] <duration>
[ya] ({them}) tome hace <duration>|[ya] {them} ({did}|tome) hace (rato|un rato|mucho|poco|nada|un momento)
[ya] {them} ({did}|tome) con (el|la|mi|un|una) (café|desayuno|comida|cena|almuerzo|agua|té)
[ya] {bare} esta mañana|(hoy|esta mañana) [ya] {them} {did} [{thing}]""",
    ReplyRole.NO: "no|nop|nope|nel",
    ReplyRole.DROP: """
[hoy] {drop} [{reminder}] [por favor|ya|así|hoy|por hoy|esta vez|ahora]
[hoy] no [me] hace falta [ya|hoy|gracias]|hoy no lo necesito
no es necesario|no es [ya] necesario|ya no [me] hace falta|ya no es necesario
no hay necesidad|no se necesita|ya no|[ya] no lo necesito [más|ya]|no necesito [{thing}|nada]
innecesario
no importa|da igual
déjame (en paz|tranquilo|tranquila)|(deja|para) de (recordarme|recordármelo|molestar|molestarme)
no me lo recuerdes [más]
no me recuerdes [más]|no más|ya basta|me da igual""",
    ReplyRole.REFUSE: """
[{today}] (me la|me lo|me las|me los|la|lo|las|los) (salto|paso|dejo) [{today}]|[{today}] la dejo pasar [{today}]
{today} (paso|nada)|{today} no (la|lo|las|los|me la|me lo) (tomo|hago)
no (la|lo|las|los|me la|me lo) (tomo|hago) {today}
no hoy|hoy no|por hoy no|esta vez no|no lo quiero [más]|no quiero [{thing}|más|hacerlo|tomarlo|tomarla]
no me interesa|paso|no lo haré
no voy a (hacerlo|tomarlo|tomarla)|nada de eso""",
    ReplyRole.LATER: """
{soon}|{now} no|no {now}|[no] aún no|[no] todavía no|no todavía|no aún|por ahora no|no por ahora|no de momento
no puedo {now}|{now} no puedo|no puedo|no en este momento|mejor {soon}|mejor {when}|en otro rato
más adelante|ahora no gracias|más ratito|un rato|un ratito
[estoy|ando|sigo] [muy|un poco|algo|ahora] (ocupado|ocupada|liado|liada) [{now}]|{now} estoy (ocupado|ocupada)
no tengo tiempo [{now}]|sin tiempo|estoy en una reunión|en una reunión|estoy conduciendo
(estoy|ando|sigo) {place} [{now}]
[aún|todavía] no [{them}] (he podido|pude|he tenido tiempo|tuve tiempo) [aún|todavía]|cuando (llegue|vuelva) [a casa]
después de (comer|cenar|desayunar|trabajar|la reunión|la cena)|no me ha dado tiempo [aún|todavía]
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
    ReplyRole.REMIND: """
(recuérdame|recuérdamelo|recordarme|recuérdeme|avísame|pregúntame|despiértame) [{again}] [{when}|{soon}] [{again}]
vuelve a (recordármelo|recordarme|preguntar|preguntarme|avisarme|avisar) [{again}] [{when}|{soon}] [{again}]
(recuérdalo|repite|repítelo|insiste) [{again}] [{when}|{soon}] [{again}]
(otra vez|de nuevo|nuevamente) [{when}|{soon}]
({when}|{soon}) (recuérdame|recuérdamelo|avísame|me lo recuerdas|me avisas) [{again}]""",
    ReplyRole.ASK: """
[me] [lo] {could} (recordar|avisar|recordarlo|recordármelo|recordarme|avisarme) [{again}] [{when}|{soon}] [{again}]
(me lo recuerdas|me recuerdas|me avisas|me preguntas) [{again}] [{when}|{soon}] [{again}]
(me das|puedes darme|me puedes dar|podrías darme) [{about}] <duration> [más]""",
    ReplyRole.AGO: "hace [{about}] <duration>|hace (un rato|un momento|poco)|recién",
    ReplyRole.JOIN: "pero|y|aunque",
    ReplyRole.OTHER: """
[muy|qué|tan|todo] (bien|mal|medio) ({bare}|{done})|vale la pena|de hecho|estoy (listo|lista)|para nada
si [ya] [yo] [{them}] ({did}|{have}|está|estaba|están|tome|termine|acabe|acabo)|ya está (bien|bueno)
que ({yes}|ya|está)""",
    ReplyRole.MOCK: """
ya [,] (claro|seguro)|{yes} [,] (seguro|hombre|cómo no)|ay {yes} [,] ay {yes}
(oh|ah|uf|jaja|jajaja|haha|lol) [,] (claro|seguro|genial|perfecto|estupendo|excelente|super|qué bien)
(jaja|jajaja|haha|lol) [,] (bien|bueno|vale)""",
    ReplyRole.PARTING: "hasta luego|nos vemos [luego]|hasta pronto",
    ReplyRole.THANKS: "gracias|muchas gracias|mil gracias|muchísimas gracias|te lo agradezco",
    ReplyRole.POLITE: """
por favor|porfa|porfavor|perdón|perdona
disculpa|lo siento|gracias por (avisar|recordar|recordarme|recordármelo|el recordatorio)
hola|buenas|buenos días|buenas (tardes|noches)|adiós|chao|ciao|eh|ay|uf|pues|bueno pues|entonces|mira
oye|amigo|amiga|cariño|tío|hombre|jaja|jajaja|jeje|jejeje|plis|porfis""",
}

REPLIES = ReplyWords(
    phrases=_PHRASES,
    macros=_MACROS,
    negations="no|aún|todavía|ahora|hoy|ya",
    future="en",
    at="a las",
    until="hasta las|hasta|no antes de",
    openers="a|las|la|el|este|esta|próximo|próxima|hoy",
    days="mañana|pasado|noche|tarde|mediodía|medianoche",
    inner="a|las|la|el|al|por|de|en|y|media|cuarto|menos|am|pm|h|hrs|horas|hoy|semana|próxima|que|viene",
    plus="y",
    half="media",
    more="más",
    lengths={
        15: "cuarto de hora|un cuarto de hora",
        30: "media hora|media horita|otra media hora|una media hora",
        45: "tres cuartos de hora",
        90: "hora y media|una hora y media",
    },
    numbers={1: "otra|otro"},
    typed={"xfa": "porfa", "dps": "después", "toy": "estoy", "despues": "después"},
    units={Unit.MINUTE: "minutito|minutitos", Unit.HOUR: "horita"},
    no_negates=True,
)
