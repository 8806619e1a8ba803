"""How people answer a reminder in Spanish."""

from __future__ import annotations

from duly.language.atoms import Unit
from duly.language.languages.form import words
from duly.language.replies.form import ReplyRole, ReplyWords

_VERBS = words(
    "tomar hacer pagar llamar enviar mandar comprar regar lavar limpiar terminar acabar sacar firmar entregar reservar "
    "recoger devolver apagar cerrar medir poner subir beber comer tragar guardar cocinar hablar avisar"
)
_CLITICS = ("", "lo", "la", "los", "las", "me", "le", "les", "melo", "mela", "melas", "selo")
_JUST_DONE = "|".join(verb + clitic for verb in _VERBS for clitic in _CLITICS)
_MACROS = {
    "doing": _JUST_DONE,
    "did": (
        "tomé|hice|terminé|acabé|bebí|comí|completé|pagué|llamé|envié|mandé|compré|cumplí|realicé|tragué|regué"
        "|limpié|lavé|reservé|entregué|cerré|tomamos|hicimos|terminamos"
        "|saqué|firmé|pedí|recogí|devolví|renové|apagué|medí|inyecté|puse|subí|respondí|contesté|escribí|hablé|chequé"
        "|chequeé|revisé|encargué|ordené|deposité|transferí|imprimí|llené|guardé|cociné|planché|barrí|aspiré|metí|di"
        "|avisé|pasé|eché|tiré|pagamos|llamamos|compramos|mandamos|enviamos|acabamos|dimos|cargué|cobré|arreglé|resolví"
        "|solucioné|rellené|escaneé|apliqué|tragamos|bebimos"
    ),
    "done": (
        "tomado|hecho|terminado|acabado|bebido|comido|completado|pagado|llamado|enviado|mandado|comprado|cumplido"
        "|realizado|tragado|regado|limpiado|lavado|reservado|entregado|cerrado"
        "|sacado|firmado|pedido|recogido|devuelto|renovado|apagado|medido|inyectado|puesto|subido|respondido|contestado"
        "|escrito|hablado|revisado|encargado|llenado|dado|avisado|tirado|cargado|arreglado|resuelto|ido"
    ),
    "bare": (
        "hecho|listo|lista|terminado|acabado|completado|completo|cumplido|realizado|tomado|tomada|tomadas|pagado"
        "|enviado|entregado|finalizado|hecha|solucionado"
        "|hechos|hechas|listos|listas|pagada|pagadas|enviada|llamado|mandado|mandada|comprado|comprada|regado|regadas"
        "|regada|bebido|bebida|tragada|limpiado|lavado|lavada|sacada|firmado|reservado|reservada|pedido|recogido"
        "|recogida"
        "|devuelto|renovado|apagado|medida|subido|chequeado|checado|arreglado|resuelto|tomados|inyectada|confirmada"
        "|entregada|terminada|completada|acabada|tendido|tendida|tendidas|(cerrado|cerrada) con llave"
    ),
    "medicine": (
        "pastilla|pastillas|medicina|medicinas|medicamento|medicamentos|píldora|píldoras|vitamina|vitaminas|dosis"
        "|gotas|agua|tableta|tabletas|remedio|pasti|pastis|jarabe|inyección|cápsula|cápsulas"
    ),
    "yes": "=sí|si",
    "them": "lo|la|los|las|me lo|me la|me los|me las|se lo|le|les|me",
    "thing": (
        "todo|todas|todos|eso|esto|ambas|las dos|los dos|con ella|con él|con ellos|(la|las|el|los|mi|mis"
        "|mis dos) {medicine}"
    ),
    "have": "he|hemos",
    "just": (
        "al fin|en la mañana|por la mañana|a primera hora|temprano|ahora mismo|recién|justo|justo ahora"
        "|por fin|hoy|esta mañana"
    ),
    "already": "ya|ya mismo",
    "lately": "hoy|en la mañana|temprano|al levantarme|al despertar|a tiempo|a primera hora",
    "meal": (
        "(con|en|después de|después del|antes de|antes del|al) [el|la|mi|un|una] "
        "(café|desayuno|comida|cena|almuerzo|agua|té|jugo|leche|desayunar|comer|almorzar|cenar)"
    ),
    "again": "otra vez|de nuevo|nuevamente|por favor|porfa|porfavor",
    "about": "unos|unas|como|aproximadamente|más o menos|otros|otras|quizás|quizá|solo|otro|otra",
    "when": "(en|dentro de) [{about}] (<duration>|<number>)|(por|durante|tras) [{about}] <duration>|<time>",
    "soon": (
        "luego|dentro de un (rato|ratito|momento)"
        "|más tarde|después|un poco más tarde|tal vez luego|quizás luego|quizás más tarde|tal vez más tarde"
        "|pronto|ahorita|en un (rato|ratito|momento|momentito|rato más)|al rato|al ratito|otro rato|otro momento"
        "|en seguida|enseguida|en breve"
        "|en unos minutos|otro día|en otro momento"
    ),
    "now": "ahora|ahora mismo|ahorita|por ahora|en este momento|de momento|por el momento",
    "could": "puedes|puede|podrías|podría|puedes por favor|podrías por favor",
    "reason": (
        "(está|fue|la clase está|la reunión está|el curso está) (cancelado|cancelada)|[lo|la] han cancelado|se canceló"
        "|se ha cancelado|estoy (enfermo|enferma|malo|mala|resfriado|resfriada)|tengo fiebre"
    ),
    "reminder": (
        "lo|esto|eso|el recordatorio|recordatorio|este recordatorio|la alarma|alarma"
        "|(esta|este|esa|ese) [dosis|toma|{medicine}]"
        "|(la|el) de hoy"
    ),
    "today": "hoy|hoy mejor|por hoy|por hoy|esta vez|esta noche|por esta vez",
    "place": (
        "en el (trabajo|curro|coche|carro|bus|metro|tren|médico|baño|gym|gimnasio|super|cole)"
        "|en (la pega|la chamba|el laburo|la cama|junta|reunión|una junta|el cine|el gym|clase|la calle|la ducha"
        "|la oficina|la uni|una llamada|camino)"
        "|en (el laburo|el cine)|conduciendo|de viaje|de camino|trabajando|comiendo|fuera|durmiendo|cocinando"
        "|manejando|cenando|fuera de casa"
    ),
    "act": "hago|tomo|haré|tomaré|termino|terminaré|hacerlo|tomarlo|tomarla|tomármela|tomármelo|hacer|tomar",
    "drop": (
        "cancela|cancelar|cancélalo|cancele|para|parar|stop|detén|detente|basta|omite|omitir|omítelo|salta|saltar"
        "|sáltalo|sáltatelo|detenlo|olvida|olvídalo|olvídate|ignora|ignorar|ignóralo|déjalo|borra|bórralo|borrar"
        "|elimina|eliminar|elimínalo|descarta|descartar|descártalo|quita|quítalo|anula|anular|anúlalo|termina ya"
        "|suspende|páralo|apágalo|alto|déjalo estar|sáltala|sáltatela|cancélala|bórrala|olvídala|quítala|omítela"
        "|ignórala|elimínala|déjala|párale|suéltalo|suelta|descártala|anúlala|sáltate|sáltatelas"
    ),
}
_PHRASES = {
    ReplyRole.YES: """
ya|=sí|si|sep|sipo|simón|obvio|obvio que {yes}|efectivamente|afirmativo|okis|oks|de una|va|sale|dale pues|sip
sipi|claro|claro que {yes}|por supuesto|vale|de acuerdo|bueno|bien|correcto|exacto
está bien|todo bien|todo en orden|todo ok|confirmado|confirmo|así es|seguro|desde luego|dale|eso es|cierto|ándale|yes
{yes} (claro|señor|señora|por supuesto|ya)""",
    ReplyRole.HEARD: """
entendido|[lo] entiendo|comprendido|recibido|anotado|tomo nota
muy bien|perfecto|genial|estupendo|excelente|fantástico|suena bien|qué bien""",
    ReplyRole.DONE: """
me (la|lo|las|los) tome|(recién|ya) me (la|lo|las|los) tome
[todo|está|ya está|todo está|tarea|eso|están] {bare} [todo|gracias|{just}|ya]|por fin [{bare}]
(al fin|por fin|recién) {bare}
{bare} está|(ya|ya están) (todas|todo|todos)|{medicine} [ya] tomada|ya (está|esta) [{bare}]|todo (está|esta) {bare}
ya (estuvo|quedó)|eso ya está|misión cumplida
({them}) {did} [{thing}]|(tomé|bebí|hice|terminé|pagué|llamé|envié|acabé) [{thing}]
(tome|hice) (la|las|mi|mis) {medicine}
[{them}] {have} {done} [{thing}]|[la|las|mi|mis|el|los] {medicine} (tomada|tomadas|tomado|tomados)
tomadita|tomaditas|ya estufas|ya terminé con (eso|esto)|ya (le|les) di (comida|la comida|agua)
yap|ya está todo|ya fue|ya le (marqué|puse agua|hablé)|hecho y derecho
{them} {did} hace (un ratito|un ratico|rato|poco)|{bare} (las dos|los dos|ambas)""",
    ReplyRole.ALREADY: """
[ya] [yo] ya [{them}] {did} [{thing}] [ya|{just}|todo|hace rato]
[ya] [{them}] {did} [{thing}] (a|como a|sobre|tipo) las <clock> [am|pm|de la mañana]
(a|como a) las <clock> [{them}] {did} [{thing}]|{just} [ya] [{them}] {did} [{thing}]|{them} {did} [{thing}] {just}
[{them}] {did} (todas|todos|las dos|los dos|ambas)|ya fui|ya (le|les) di (de comer|agua|de beber)|ya (comió|comieron)
ya (hace rato|desde hace rato|hace tiempo)|desde hace rato|ya {have} ido|{have} ido
ya mismo {them} {did}|[ya] me tome (la|las|mi|mis) {medicine}|[ya] {them} tome [{thing}] (ya|{just})
ya [{them}] (tome|termine|acabe|pague|llame|complete) [{thing}]|[yo] ({them}) {did} [{thing}] [ya|{just}]
ya [{them}] {have} {done} [{thing}]|[{them}] {have} {done} ya [{thing}]|ya (está|estaba|quedó|están) {bare}
(acabo|acabamos) de (hacerlo|tomarlo|tomarla|tomármelo|tomármela|tomarlas|tomar {thing}|terminar|terminarlo)
(acabo|acabamos) de (hacer eso|hacer)
[{them}] acabo de (tomar|hacer|terminar|llamar|pagar|mandar|enviar|comprar|regar)
acabo de (llamarla|llamarlo|pagarlo|mandarlo|enviarlo)|recién [{them}] {did} [{thing}]
yo ya {bare}|ya {bare}|{bare} ya
[ya] [{them}] ({did}|{have} {done}) [{thing}] hace [{about}] <duration>
hace [{about}] <duration> [que] [ya] [{them}] ({did}|{have} {done}) [{thing}]|{bare} hace [{about}] <duration>
[ya] ({them}) tome hace <duration>|[ya] {them} ({did}|tome) hace (rato|un rato|mucho|poco|nada|un momento)
[ya] {them} ({did}|tome) con (el|la|mi|un|una) (café|desayuno|comida|cena|almuerzo|agua|té)
[ya] {bare} esta mañana|(hoy|esta mañana) [ya] {them} {did} [{thing}]
[{them}] (acabo|acabamos) de {doing} [{thing}]|[{yes}] ya quedó|(hecho|listo) desde temprano
ya (le|les) di su (comida|agua|medicina)
=sí ya [{them}] (tome|termine|acabe|pague|llame|complete) [{thing}]|=sí ya (está|esta) [{bare}]""",
    ReplyRole.NO: "no|nop|nope|nel",
    ReplyRole.DENY: """
no [{them}] ({did}|{have} {done}) [{thing}]|no (está|están|estaba) {bare}|no {bare}|no {have} terminado""",
    ReplyRole.DROP: """
[hoy] {drop} [{reminder}] [por favor|ya|así|hoy|por hoy|esta vez|ahora]
[hoy] no [me] hace falta [ya|hoy|gracias]|hoy no lo necesito
no es necesario|no es [ya] necesario|ya no [me] hace falta|ya no es necesario
no hay necesidad|no se necesita|ya no|[ya] no lo necesito [más|ya]|no necesito [{thing}|nada]
innecesario
no importa|da igual
déjame (en paz|tranquilo|tranquila)|(deja|para) de (recordarme|recordármelo|molestar|molestarme)
no me lo recuerdes [más]
no me recuerdes [más]|no más|ya basta|me da igual
[no] [ya] no [la|las|los] necesito [hoy|más|ya]|no es necesario hoy|(olvídate|olvidate) de (eso|esto|ello)|cancelado
(qué más da|equis|ni modo)|no más (recordatorios|avisos)|[ya] no me (avises|molestes|recuerdes) [más]|no molestes [más]
(sin|ninguna|nada de) {medicine} {today}|nada {today}|no hace falta [ya]|ya no toca
olvídate|déjalo
ya déjalo|no quiero más (avisos|recordatorios)|deja de avisarme
ya no quiero|no quiero que me (recuerdes|avises)""",
    ReplyRole.REFUSE: """
[{today}] (me la|me lo|me las|me los|la|lo|las|los) (salto|paso|dejo) [{today}]|[{today}] la dejo pasar [{today}]
{today} (paso|nada)|{today} no (la|lo|las|los|me la|me lo) (tomo|hago)
no (la|lo|las|los|me la|me lo) (tomo|hago) {today}
[{today}] [nos] (la|lo|las|los) saltamos [{today}]|no hoy|hoy no|por hoy no|esta vez no|no lo quiero [más]
no quiero [{thing}|más|hacerlo|tomarlo|tomarla]
no me interesa|paso|no lo haré
no voy a (hacerlo|tomarlo|tomarla)|nada de eso
paso (por hoy|de esto|de eso|hoy)|no (la|lo|las|los) quiero [{today}]|no quiero {today}
no (la|lo|las|los) voy a (hacer|tomar) [{today}]
no voy a (tomarla|hacerlo|tomarlo|tomármela) {today}|{today} no voy|{today} no [me] toca|no [me] toca {today}
{today} descanso
[{today}] mejor no [{today}]|por esta vez no|{today} mejor no
no (la|lo|las|los) (voy a|quiero) (tomar|hacer)""",
    ReplyRole.NOT_YET: """
[no] (aún|todavía) no|no (aún|todavía)|no (aún|todavía) no|ahora no|ahorita no|por ahora no|de momento no|luego
más tarde|después
{now} no puedo|no puedo {now}|no {now}|al rato|(aún|todavía) no [{them}] ({did}|{have} {done})
[{now}] no tengo tiempo [{now}]
(aún|todavía) no he podido|no he podido [aún|todavía]|no me (dio|ha dado) tiempo|no tuve tiempo
mejor (luego|más tarde)
(estoy|ando|sigo|voy) [todavía|aún|ahora|recién] <doing>
(todavía|aún|ahora|ahorita|apenas) (estoy|ando|voy|sigo|en)|espera (que|a que)
no (he tenido|tuve|me dio|me ha dado) (chance|tiempo|oportunidad)|apenas (llego|salgo|me levanto|voy)
déjame (terminar|acabar|comer)
no (estoy|ando) en casa|tengo que (comer|trabajar|terminar) primero|primero (como|termino|tengo)
(estoy|ando|sigo) (con|en)|en cuanto (pueda|llegue)|deja (llego|termino|acabo|que)|dame chance
ya casi (llego|salgo)|luego lo (veo|hago)
[es|está] muy temprano [aún|todavía]""",
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
(pospónlo|posponlo|posponelo|posponela) ({when}|{soon}|<duration>|<number>)
(pospón|posponer|aplaza|aplazar|aplázalo|retrasa|retrasar|retrásalo) ({when}|{soon}|<duration>|<number>)
(atrasa|posterga|postergar|postérgalo|snooze|déjalo para|déjalo) ({when}|{soon}|<duration>|<number>)
(pospón|posponer|pospónlo|aplaza|aplazar|aplázalo|retrasa|retrasar) [{reminder}] [{when}|{soon}|<duration>|<number>]
(posterga|postergar) [{reminder}] [{when}|{soon}|<duration>|<number>]
(aún|todavía) no [{them}] (hago|tomo|termino|acabo|llamo|pago)|todavía
[ando|estoy|voy] [súper|muy|un poco] (liadísimo|liadísima|a tope) [{now}]
a tope [{now}]|{place}|voy (manejando|conduciendo|en el coche|en el bus)|[aún|todavía] no estoy en casa
no he llegado [a casa]
(no|aún no|todavía no) he llegado [a casa]
más tarde mejor|ahora después|pregunta ({soon}|{when})|(espérame|aguántame|aguanta|espera) [tantito|un poquito|poquito]
un (seg|sec)|dame (tiempo|<number>|otros <number>) [más]|un rato más|[ya] [casi] (mero|merito)|ya casi|a medias
a la mitad
[ya] voy (a|por) la mitad|[uy|ups|ay] (se me olvidó|se me olvido|se me pasó|se me fue) [por completo|la onda]
[lo|la|me|me lo|me la|lo he|la he|me he] (olvidé|olvidado) [por completo]|me olvide [por completo]
no (pude|alcancé) [todavía|aún]
no me (dio|ha dado) tiempo|sigo en (ello|eso)|en (eso|ello) [estoy]|en proceso|[es] muy temprano|es temprano [todavía]
(pásalo|pasalo|muévelo|cámbialo|déjala) (a|para|hasta) <time>|(para|por|en) <time> [no]|ya va
(ya|me|la|lo|estoy) (estoy tomando|tomando)|la estoy tomando|a punto|estoy a punto
[estoy] por (tomarla|hacerlo|tomarlo)
dame un ratico|[en] un ratico|más al rato|un (ratito|ratico) más
(estoy|ando) (almorzando|desayunando|merendando|manejando|duchándome)|me agarras (manejando|ocupado|ocupada)
(en|por) <time> mejor
[más] (tardecito|ratito)|(un|en un|aguanta un|espera un) toque|(estoy|ando) (dormida|dormido|acostado|acostada)
(pregúntame|avísame|recuérdame) después de (comer|cenar|almorzar|desayunar)|orita|ahoritita|ahí voy
me (la|lo) tomo [ya|ahora|{soon}]
después de (la|el) (comida|almuerzo|desayuno|junta|clase)|después del trabajo|a ratito|dame un cuartito""",
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
que ({yes}|ya|está)
(aún|todavía) no (sé|estoy seguro|estoy segura)""",
    ReplyRole.MOCK: """
ya [,] (claro|seguro)|{yes} [,] (seguro|hombre|cómo no)|ay {yes} [,] ay {yes}
(oh|ah|uf|jaja|jajaja|haha|lol) [,] (claro|seguro|genial|perfecto|estupendo|excelente|super|qué bien)
(jaja|jajaja|haha|lol) [,] (bien|bueno|vale)
(jaja|jajaja|jajajaja|haha|lol) [,] {yes} [,] claro|{yes} [,] claro [,] (jaja|jajaja|haha|lol)""",
    ReplyRole.PARTING: "hasta luego|nos vemos [luego]|hasta pronto",
    ReplyRole.THANKS: "gracias|muchas gracias|mil gracias|muchísimas gracias|te lo agradezco",
    ReplyRole.POLITE: """
por favor|porfa|porfavor|perdón|perdona
disculpa|lo siento|gracias por (avisar|recordar|recordarme|recordármelo|el recordatorio)
hola|buenas|buenos días|buenas (tardes|noches)|adiós|chao|ciao|eh|ay|uf|pues|bueno pues|entonces|mira
oye|amigo|amiga|cariño|tío|hombre|jaja|jajaja|jeje|jejeje|plis|porfis
wey|güey|parce|parcero|boludo|po|pues|papá|mamá|mami|papi|mi amor|amor|mi vida|jefe|jefa|señor|señora|bro|hermano
no te preocupes|tranqui|tranquilo|tranquila|uy|ups|pucha|híjole|chale|compa|carnal|colega|guapa|guapo|corazón
reina|va que va
calisto|jajajaja|je|jiji|tía|vieja|viejo|chico|chica|nena|bebé|ostras|anda""",
}

REPLIES = ReplyWords(
    phrases=_PHRASES,
    macros=_MACROS,
    negations="no|aún|todavía|ahora|hoy|ya",
    future="en",
    at="a las",
    until="después de las|después de la|hasta las|hasta|no antes de",
    openers="a|sobre|al|las|la|el|este|esta|próximo|próxima|hoy",
    days="mañana|pasado|noche|tarde|mediodía|medianoche",
    inner=(
        "temprano|eso|a|primera|hora|las|la|el|al|por|de|en|y|media|cuarto|menos|am|pm|h|hrs|horas|hoy|semana|próxima"
        "|que|viene"
    ),
    plus="y",
    half="media",
    doing=("ando", "iendo", "yendo", "andome", "iendome"),
    more="más",
    lengths={
        15: "un cuartito de hora|cuartito de hora|cuarto de hora|un cuarto de hora",
        30: "½ hora|½h|media hora|media horita|otra media hora|una media hora",
        45: "tres cuartos de hora",
        120: "un par de horas|par de horas",
        90: "hora y media|una hora y media",
    },
    numbers={1: "otra|otro"},
    typed={
        "xfa": "porfa",
        "q": "que",
        "ise": "hice",
        "dps": "después",
        "toy": "estoy",
        "sii": "sí",
        "siii": "sí",
        "siiii": "sí",
        "ta": "está",
        "stá": "está",
        "hize": "hice",
        "toavía": "todavía",
        "xq": "porque",
        "ehcho": "hecho",
        "heho": "hecho",
        "echo": "hecho",
        "despues": "después",
    },
    units={Unit.MINUTE: "minutito|minutitos", Unit.HOUR: "horita"},
    no_negates=True,
)
