"""How people ask in Spanish."""

from __future__ import annotations

from duly.language.requests.form import RequestWords

WORDS = RequestWords(
    code="es",
    courtesies=(
        "por favor|porfa|porfis|pf|gracias|muchas gracias|oye|hola|ey|eh|ok|vale|bueno|duly|plis|pls|anda|venga"
        "|mira|buenas|buenos dias|buenas tardes|ahora|pues|xfa|x favor|mil gracias|oiga|che|please|plz|thx|por fa"
        "|porfavor|porfi|porfaaa|muchisimas gracias|muchas grax|grax|gracias duly|hola duly|oye duly|hey|hey duly"
        "|hi|holi|holaa|buen dia|buenas noches|a ver|ah|oh|uy|ay|por cierto|btw|perdona|perdon|disculpa|tio|tia"
        "|amigo|y|entonces|luego|rapido|solo|si puedes|si es posible|cuando puedas|te lo agradezco|de paso|amor"
        "|vos|tambien|bro|wey|guey"
    ),
    courtesy_verbs="mira|anda|venga|perdona|disculpa",
    greetings=(
        "gracias|muchas gracias|mil gracias|muchisimas gracias|grax|muchas grax|hola|buenas|buenos días"
        "|buenas tardes|buenas noches|buen día|perdón|perdona|disculpa|thx|hey|hi|te lo agradezco"
    ),
    sayings=(
        "di|dile|diles|decir|decirle|decirles|digo|diga|dar|da|dale|doy|escribe|escríbele|escribir|escribirle"
        "|escribo|manda|mándale|mandar|mandarle|envía|envíale|enviar|enviarle|responde|responder|responderle"
        "|desea|desear|desearle|contestar|contesta|grita|gritar"
    ),
    tells_whom="di|dile|diles|decir|decirle|decirles|digo|desear|desearle|desea",
    unfinished="un|una|unos|unas|el|la|los|las|mi|mis|tu|tus|su|sus|con|de|del|para",
    askings=(
        "(me/te/) (puedes/podrías/podrias/puede/podría/podria/podés/podes/quieres/quisieras/podéis/podeis/"
        "importaría/importaria) (por favor/porfa/)"
        "|(quiero/necesito/quisiera/me gustaría/me gustaria/queria/quería) (que/) (me/)"
        "|me (haces/harías/harias) el favor de|hazme el favor de|(serías/serias) tan amable de|es posible"
        "|se puede|vamos a|tienes que|te pido que|(puedes/podrías/podrias) tu"
    ),
    leads=(
        "(recuérdame/recuerdame/recuerda me/recuerdeme/recuérdeme/recordame/recordarme/recordar/recuerdenme/"
        "recuérdenme/recuerdame lo/acuérdame/acuerdame/acordame/hazme acordar/haceme acordar/hazme recordar/"
        "recuerdáme/rekuerdame/recuérdanos/recuerdanos/recuerdame porfa/recordadme/recuedame/"
        "recuerdme) (por favor/porfa/porfis/pls/otra vez/de nuevo/)"
        "|(avísame/avisame/avisarme/avísanos/avisenme/aviseme) (por favor/porfa/)|me (recuerdas/recuerdes/"
        "recuerde/avisas/avises/acuerdas/recordás/recordas/recordarías/recordarias/recordaras)|(pon/ponme/pone/"
        "poné/poneme/poner/crea/créame/creame/crear/añade/añádeme/anademe/añadir/agrega/agregame/haz/hazme/"
        "programa/prográmame/programame/deja/déjame/mete/apunta/anota/guarda/quiero/necesito/configura) (me/"
        ") (un/una/otro/) (nuevo/) (recordatorio/aviso/alerta)|(nuevo/un/otro/) (recordatorio/aviso)"
        "|no (me dejes/dejes que me) olvidar|no (dejes/permitas) que (me/se me) (olvide/olvida)"
        "|(que/para que/q) no (se/) me (olvide/olvida/olvidé/olvides)"
        "|(que/para) no (me/) (olvidarme/olvidar/olvide) (de/)"
        "|no (quiero/debo/puedo/tengo que) (olvidar/olvidarme/olvidarme de)|no (se/) me (puede/debe) olvidar"
        "|ayúdame a recordar|ayudame a recordar|tengo que acordarme|para acordarme"
    ),
    weak_leads=(
        "no (olvides/olvidar/te olvides/olvidarme/olvidarse/olvidemos) (de/)|nota|nota mental|apunta|anota"
        "|recuerda|recordar|acuerdate|acuérdate|dime que (tengo que/debo/hay que)|memo|importante|ojo|apúntame"
        "|apuntame|anótame|anotame|agenda|agéndame|agendame|agendá|apuntá|avisa"
    ),
    end_leads=(
        "(y/así que/asi que/por favor/porfa/pls/luego/me lo puedes/me lo/) (recuérdamelo/recuerdamelo/recuérdame/"
        "recuerdame/recordamelo/recordármelo/recordarmelo/recuérdemelo/acuérdame/acuerdame/avísame/avisame/"
        "recordame) (por favor/porfa/pls/eso/esto/)|(me/) (lo/) (recuerdas/avisas/recordás)"
        "|me lo (puedes/podrías/podrias) recordar|(puedes/podrías/podrias) (recordármelo/recordarmelo/recordarme)"
        "|(que/para que/q) no se me olvide|no (me dejes/dejes que me lo/dejes que se me) (olvidar/olvide)"
        "|(ponme/pon/hazme/crea) (un/) (recordatorio/aviso)|recordatorio (por favor/porfa/)"
        "|no (quiero/debo) (olvidarlo/olvidarme)|no (lo/) olvides|que no lo olvide|no se me puede olvidar"
        "|que no me olvide"
    ),
    musts=(
        "(tengo/debo/hay/tenemos/necesito/quiero/voy a/he de/me toca/debería/deberia/toca/tendría que/"
        "tendria que/habrá que/habra que/vamos a/tngo) (que/)|tengo (un/una/el/la/)|tenemos (un/una/)|es|hay"
        "|tego que|yo tengo (que/)|yo debo"
    ),
    wakes=(
        "(despiértame/despiertame/despertame/despiértenme/despertarme/despierteme/levántame/levantame/"
        "despertadme/despierta me) (por favor/porfa/)|me (despiertas/despiertes/despertás)"
        "|(pon/ponme/poné/poneme/poner/programa/activa) (me/) (el/un/) despertador"
        "|(tengo que/necesito/quiero) (despertarme/levantarme)|(el/un/) despertador|(que/) me despierte"
    ),
    alarms=(
        "(pon/ponme/poné/poneme/poner/programa/prográmame/crea/activa/haz/configura) (me/) (la/una/otra/"
        ") (alarma/cuenta atras/temporizador)|(pon/ponme/crea) un temporizador|(una/la/) alarma|temporizador"
    ),
    alarm_text="alarma",
    statements=(
        "yo|tu|ella|usted|nosotros|vosotros|ellos|ellas|ustedes|nos|te|os|se|me|ti|conmigo|contigo|quien|quién"
        "|que|qué|cual|cuál|cuando|cuándo|donde|dónde|por qué|porque|cómo|cuanto|cuánto|es|era|fue|son|eran"
        "|fueron|soy|eres|somos|estaba|estuvo|están|estan|estoy|estamos|ser|sea|será|sera|hay|había|habia|hubo|ha"
        "|he|has|han|hemos|tengo|tienes|tiene|tenemos|tienen|tuve|tuvo|voy|vas|va|vamos|van|iba|fui|puedo|puedes"
        "|puede|podemos|quiero|quieres|quiere|queremos|debo|debe|llego|llega|llegas|llegamos|llegan|llegué|llegue"
        "|salgo|sale|salen|salió|salio|vengo|viene|vienen|vino|vuelvo|vuelve|volvió|volvio|empieza|empiezo|empezó"
        "|termina|terminó|abre|cierra|hace|hago|hacen|hizo|hice|veo|vemos|vi|vio|creo|pienso|sabe|sabes|espero"
        "|amo|odio|gusta|gustan|encanta|encantan|parece|llueve|no|ok|vale|quizás|quizas|tal vez|pero|sino|ya"
        "|nunca|siempre|ayer|anoche|pasado|pasada|bueno|buena|buenos|buenas|bien|mal|malo|mala|lindo|bonito"
        "|genial|cansado|cansada|tiempo|frio|frío|calor|gracias|hola|adiós|adios|chao|hasta|desde|alrededor|muy"
        "|tan|mucho|jaja|jajaja|lol|recordatorio|recordatorios|recuerda|cancela|cambia|mueve|borra|pausa|todos"
        "|todas|alguien|nadie|mi vuelo|nos vemos|quedamos|comí|comi|cené|cene|dormí|dormi|feliz|eso|esto|aplazar"
        "|mover|cancelar|borrar|vivo|trabaja|duermo|como bien|tome|tomé|tomado|compré|llamé|hablé|pagué|puse"
        "|estuve|terminé|hecho|bebí|hablamos|tomamos|comimos|dormimos|cenamos|fuimos|salimos|vinimos|quedé|perdí"
        "|perdi|despertado|levantado|llegado|salido|vuelto|desperté|desperte|levanté|rica"
    ),
    lone_statements=(
        "en casa|casa|aquí|aqui|allí|alli|ahí|ahi|listo|lista|libre|ocupado|ocupada|tarde|temprano|de vuelta"
        "|fuera|despierto|despierta|enfermo|cansado|en camino|perfecto|arrivo"
    ),
    statement_ends=r"^\w{3,}(?:aba|aban|ábamos|abamos|aron|ieron|aste|iste|amos|emos|imos|aré|ará|aran|arán|eré|erá|iré|irá|aría|ería|iría)$(?<!mamos)|^\w{3,}ó$",
    others="recuérdale a|recuerdale a|recuérdales a|recuerdales a|recuerda a|recuérdele a|recuérdale|recuérdales",
    and_words="y|e|y a|e a|&",
    selves="mí|a mí|me",
    first_lead="recuérdame",
    joints=(
        "de que|que|de|para|sobre|lo de|del|acerca de|que tengo que|de que tengo que|tengo que|para que|a|tengo"
        "|que hay que|hay que|que debo|debo|lo del|lo de la|sobre el|sobre la|de lo de|de la|de los|de las|de mi"
        "|de mis|porque|pq|con|acerca|que me toca|por lo de|respecto a|otra vez|de nuevo|q"
        "|q tengo que|que no olvide|de que debo|de que hay que|texto|titulado|diciendo|que diga|y"
    ),
    befores="antes|después|despues",
    before_times="ayer|anteayer|hace|en unos|en unas|pasado|último",
    behind_times="ayer|pasado|pasada|atrás|hasta",
    alternatives="o|u",
    titles="sr|sra|srta|don",
    title_nouns="señor|señora|señorita|doña|san|santo",
    days_small=True,
    doses=(
        "mg|mcg|µg|g|ml|cl|l|ui|u.i|unidad|unidades|gota|gotas|pastilla|pastillas|píldora|píldoras|tableta"
        "|tabletas|comprimido|comprimidos|cápsula|cápsulas|puff|puffs|inhalación|inhalaciones|cucharada"
        "|cucharadas|cucharadita|cucharaditas|dosis|sobre|sobres|parche|parches|ampolla|ampollas|inyección"
        "|inyecciones|vaso|vasos|vitaminas|miligramos|gramos|%|kg|media"
    ),
    count_articles="los|las|la",
    plurals="s",
    parts_said=(
        "por la mañana|por la tarde|por la noche|de noche|a la noche|en la noche|en la mañana|en la tarde"
        "|a la mañana|a la tarde|al mediodía|a mediodía|a medianoche|por las mañanas|por las noches"
        "|por las tardes"
    ),
    part_nouns="tarde|noche",
    opens_end=(
        "hasta que|hasta el final|hasta acabar|hasta terminar|hasta fin|hasta agotar|mientras"
        "|hasta nuevo aviso|hasta el fin|hasta navidad|hasta semana santa|hasta pascua"
        "|hasta año nuevo|hasta las vacaciones"
    ),
    hangers="durante",
    opens_start=(
        "si duele|si me duele|si hay dolor|si tengo dolor|en caso de dolor|si hay fiebre|si tengo fiebre|"
        "si hace falta|si es necesario|si me duele|en caso de dolor|si lo necesito|según necesidad"
        "|empezando|comenzando|a partir|a partir de|a partir del|en cuanto|desde que"
    ),
    opens_exception=(
        "menos de noche|menos por la noche|menos de madrugada|pero no|excepto|salvo|menos los|menos el|excepto si"
        "|excepto cuando|a menos que|menos en|menos cuando|menos si"
        "|menos durante|a no ser que|pero solo"
    ),
    bounds=(
        "sin|no|nunca|quitando|exceptuando|a excepción de|con excepción de|con la excepción de|iniciando"
        "|iniciando el|con inicio|con inicio el|terminando|terminando el|acabando|acabando el|finalizando"
        "|excluyendo|descontando|aparte de"
    ),
    occasions=(
        "pascua|semana santa|navidad|navidades|año nuevo|festivo|festivos|vacaciones|verano|invierno"
        "|primavera|otoño|reyes|días festivos|puentes"
    ),
    danglers="para|el|el dia|a|es|que es|por|en|este|para el|sobre|del|de|empezando",
    asks_what=(
        "(qué/que/q/ke/k/qe) (tengo/hay/toca/me toca/tenemos/sigue/viene/me espera/nos espera/pasa/debo hacer/"
        "tengo que hacer/hago/planes tengo/planes hay/recordatorios tengo/recordatorios hay/pendientes tengo/"
        "citas tengo/eventos tengo/tareas tengo/cosas tengo/está programado/esta programado/está previsto/"
        "esta previsto/hay previsto/hay programado/hay planeado/se viene/me queda/queda/me falta/falta/"
        "hay de nuevo/tengo pendiente/tengo programado/tengo previsto/tengo agendado/tengo apuntado/"
        "tengo planeado/tengo en la agenda/hay en la agenda/hay en mi agenda/tengo en agenda) (para/de/por/)"
        "|(tengo/hay/tenemos/tendré/tendre) (algo/algún recordatorio/algun recordatorio/recordatorios/"
        "alguna cosa/alguna cita/citas/planes/algún plan/algun plan/tareas/pendientes/cosas/cosas que hacer/"
        "que hacer algo) (para/programado/previsto/pendiente/planeado/que hacer/en la agenda/apuntado/)"
        "|algo (para/que hacer/programado/pendiente/planeado/previsto/)|cuál es (el/mi) (plan/agenda/programa)"
        "|cual es (el/mi) (plan/agenda/programa)|(mi/la/) agenda (de/del/para/)|(mis/) planes (de/para/)"
        "|(cuáles son/cuales son/cuáles/cuales) (mis/los) (recordatorios/planes/pendientes/tareas/citas)"
        "|cómo (está/es/va/viene/pinta) (mi/el/la/)|como (esta/es/va/viene/pinta) (mi/el/la/)"
        "|cuántos recordatorios tengo|cuantos recordatorios tengo|cómo tengo|como tengo|qué dice mi agenda"
        "|que dice mi agenda|en qué quedé|cómo se presenta|como se presenta"
    ),
    shows=(
        "muestra|muéstrame|muestrame|enséñame|ensename|lista|dame|ver|dime|listar|mostrar|enseña|pásame|mostrame"
        "|a ver|quiero ver|(muéstrame/muestrame/enséñame/ensename/dame/dime/pásame/mostrame/mándame/mandame/"
        "léeme/leeme) (por favor/porfa/)|quiero (ver/saber)|puedo ver|(ver/listar/mostrar/enseñar/consultar)"
        "|déjame ver|dejame ver|lístame|listame"
    ),
    list_fillers=(
        "para|en|el|la|los|las|mis|mi|todos|todas|todo|de|que hacer|pendiente|pendientes|programado|programados"
        "|recordatorios|recordatorio|agenda|tareas|lista|planeado|hay|tengo|activos|por hacer|previsto|me"
        "|calendario|del|al|este|esta|estos|estas|que|tengo que|hacer|día|dia|con|planes|plan|citas|eventos|cosas"
        "|activas|programadas|guardados|guardadas|apuntado|agendado|por|planeada|todavía|todavia|aún|aun|más|mas"
        "|resto|todo el|toda la|tengo para|hay para|y|hay en|por delante|hoy dia|alguna|algo|nuevo"
        "|recordatorio para|lo de|lo que"
    ),
    nouns="recordatorios|recordatorio|agenda|tareas|lista|pendientes|calendario|planes|citas|avisos",
    today=(
        "hoy|esta noche|esta tarde|hoy dia|el día|el dia|día|dia|mi dia|mi día|hoy en la tarde|hoy por la tarde"
        "|hoy por la noche|en el día de hoy|el dia de hoy|esta mañana|hoy mismo|lo que queda de hoy"
        "|lo que queda del dia|este dia|este día"
    ),
    tomorrow=(
        "mañana|manana|mañana por la mañana|mañana por la tarde|mañana por la noche|el día de mañana"
        "|el dia de mañana|mñn|mnn|mañna|manyana"
    ),
    week=(
        "esta semana|semana|la semana|los próximos 7 días|los proximos 7 dias|los próximos siete días"
        "|próximos 7 días|en la semana|de la semana|lo que queda de semana|el resto de la semana"
        "|resto de la semana|estos días|estos dias|los próximos días|los proximos dias|próximos días"
        "|proximos dias|mi semana|esta sem"
    ),
    next_week=(
        "(la/esta/) (próxima/proxima/siguiente) semana"
        "|(la/) semana (que viene/próxima/proxima/siguiente/q viene/entrante/que entra)"
    ),
    weekend=(
        "(este/el/para el/en el/próximo/proximo/el próximo/el proximo/) (finde/fin de semana/finde semana/"
        "fds) (que viene/)"
    ),
    everything=(
        "todo|todos|todas|todos los recordatorios|todos mis recordatorios|mis recordatorios|los recordatorios"
        "|recordatorios|cada recordatorio|las notificaciones|todas las notificaciones|los avisos|todos los avisos"
        "|todo lo demás|todo todo|absolutamente todo|las alertas|alertas|todas las alertas|avisos|notificaciones"
        "|mis avisos|mensajes|los mensajes|todos los mensajes|todo eso|el resto|todas las alarmas"
    ),
    moves=(
        "(mueve/mover/muéveme/mueveme/muevas/aplaza/aplazar/aplázame/aplazame/aplaces/aplazá/pospón/pospon/"
        "posponer/posponme/posponé/pospone/pospongas/reprograma/reprogramar/reprogramame/retrasa/retrasar/"
        "retrásame/retrasame/atrasa/atrasar/posterga/postergar/postergá/adelanta/adelantar/adelántame/adelantame/"
        "adelantá/traslada/trasladar/desplaza/recorre/corre/correr/correme/reagenda/reagendar/demora) (me/"
        "por favor/porfa/lo de/lo del/lo de la/)|cambia la hora (de/del/de la)"
        "|cambia (de/) (fecha/día/dia) (el/la/de/del/de la)"
    ),
    weak_moves=(
        "(cambia/cambiar/cámbiame/cambiame/cambies/cambiá/pasa/pasar/pásame/pasame/pases/pasá/pon/poner/ponme/"
        "poné/lleva/llevar/deja/dejar) (me/por favor/porfa/lo de/lo del/lo de la/)"
    ),
    earlier_moves="(adelanta/adelantar/adelántame/adelantame/adelantá)",
    move_to=(
        "a|al|a la|para|para el|para la|pa|pa el|pal|pa la|hasta|hasta el|a el|a las|a los|para las|el|del|al día"
        "|al dia|al próximo|al proximo|mejor a|mejor al|mejor el|mejor para el|para dentro de|a dentro de|de…a"
    ),
    weak_to="a|al|a la|a las|para|para el|para la|pa|pa el|pal|pa la|mejor a|mejor al|para las",
    move_by="por|en|de|como|cosa de",
    later="(más/mas) (tarde/adelante)|después|despues|luego|más|mas|de retraso",
    earlier="antes|(más/mas) (temprano/pronto)|de adelanto",
    cancels=(
        "(cancela/cancelar/cancélame/cancelame/cancelá/canceles/borra/borrar/bórrame/borrame/borrá/borres/"
        "elimina/eliminar/elimíname/eliminame/eliminá/elimines/quita/quitar/quítame/quitame/quitá/quites/anula/"
        "anular/anúlame/anulá/suprime/suprimir/saca/sacá/sácame/tacha/tachar/descarta/descartar/remueve/olvida/"
        "olvídate/olvidate/olvidá/olvidar/deshazte/kita) (me/de/por favor/porfa/)"
        "|no me (recuerdes/avises/recuerdas) (más/mas/ya) (de/lo de/sobre/)"
        "|ya no me (recuerdes/avises) (de/lo de/sobre/)|deja de (recordarme/avisarme) (de/lo de/sobre/)"
        "|(ya/) no (necesito/quiero/hace falta) (ya/más/mas) (el/la/los/las)"
        "|ya no (necesito/quiero/hace falta/me hace falta/me hacen falta/hacen falta)"
        "|no (necesito/quiero/hace falta/me hace falta)…(más/mas/ya)"
        "|…ya no (lo/la/los/las/) (necesito/quiero/hace falta/hacen falta/hacen falta)"
        "|…ya no me (hace/hacen) falta"
        "|…(está cancelado/esta cancelado/está cancelada/esta cancelada/se canceló/se cancelo/queda cancelado)"
        "|(nada de/no más/no mas) (recordatorios/avisos) (de/del/para)|no más|no mas|tira"
    ),
    cancel_it=(
        "(cancélalo/cancelalo/cancélala/cancelala/bórralo/borralo/bórrala/borrala/elimínalo/eliminalo/elimínala/eliminala/"
        "quítalo/quitalo/quítala/quitala/anúlalo/anulalo)|(borra/elimina/quita) (eso/esto/ese/este)"
        "|(cancela/borra/elimina/quita/anula) (ese/este/el último) recordatorio"
    ),
    move_it=(
        "(muévelo/muevelo/muévela/muevela/cámbialo/cambialo/cámbiala/cambiala/pásalo/pasalo/pásala/pasala/aplázalo/"
        "aplazalo/pospónlo/posponlo/retrásalo/retrasalo)|(mueve/aplaza/pospón/retrasa) (eso/esto)"
    ),
    skip_it=("(sáltalo/saltalo/sáltatelo/saltatelo/omítelo/omitelo)|(salta/omite) (eso/esto)"),
    sure_cancels="cancela|cancelar|borra|borrar|elimina|eliminar|anula|anular|suprime",
    skips="salta|sáltate|omite|saltar|omitir",
    skip_ends="una vez|esta vez|la próxima vez",
    pauses=(
        "(pausa/pausar/páusame/pausame/pausá/pauses/silencia/silenciar/silénciame/silenciame/silenciá/silencies/"
        "suspende/suspender/suspendé/suspendas/detén/deten/detener/detené/frena/frenar/congela/desactiva/"
        "desactivar/desactivá/desactives/apaga/apagar/mutea/mutear/interrumpe/stop) (me/por favor/porfa/)"
        "|(pon/poner/ponme/poné/pongas/deja/dejar/mete) (me/)…en (pausa/silencio/espera/stand by)"
        "|(pon/poner/ponme/poné) en (pausa/silencio/espera)|haz una pausa (con/de/en)"
        "|(quita/quitar) el sonido (a/de)"
    ),
    weak_pauses=(
        "(cállate/callate/calla/callá/silencio/quieto/pausa/pausamos/calladito/shh)"
        "|(para/parar/pará/pares/corta/cortar) (con/de/)|no me (molestes/avises/recuerdes/mandes/escribas/envíes/"
        "envies/despiertes/hables) (nada/más/mas/con nada/)"
        "|(no/sin) (molestar/recordatorios/avisos/notificaciones/molestes)"
        "|(déjame/dejame) (en paz/tranquilo/tranquila/descansar)"
        "|(quédate/quedate/estate/estáte) (callado/callada/quieto/en silencio/calladito)"
        "|nada de (recordatorios/avisos/notificaciones/mensajes)|(modo/ponte en) (silencio/silencioso)"
        "|haz una pausa|deja de (recordarme cosas/avisarme/molestar/molestarme)"
    ),
    resumes=(
        "(reanuda/reanudar/reanúdame/reanudá/reactiva/reactivar/reactivá/reactives/continúa/continua/continuar/"
        "continuá/activa/activar/activá/retoma/retomar/retomá/despausa/despausar/enciende/encender/prende/prendé/"
        "restaura/reinicia/reiniciar/desilencia/desmutea/recupera) (con/de nuevo/otra vez/me/por favor/porfa/)"
        "|(sigue/seguí/seguir) con|(vuelve/volver/volvé) a (activar/poner/empezar/empezar con/encender/"
        "recordarme/avisarme de/recordar/mandar/mandarme)|quita la pausa (de/a/del/al)"
        "|(activa/enciende/pon/prende)…(otra vez/de nuevo)|empieza (otra vez/de nuevo) con"
    ),
    until=(
        "hasta|hasta el|hasta la|hasta las|hasta que sea|hasta el próximo|hasta el proximo|hasta que llegue el"
        "|hasta por lo menos el|por lo menos hasta el|al menos hasta el"
    ),
    for_length=(
        "por|durante|los próximos|las próximas|por los próximos|por las próximas|por unas|por unos"
        "|durante los próximos|durante las próximas|por los proximos|durante unas|unas|unos|las proximas"
        "|los proximos"
    ),
    from_now="en",
    nows="ahora|ahora mismo",
    at_hour="a las",
    articles=(
        "el|la|los|las|lo|mi|mis|un|una|del|de|recordatorio|recordatorios|el recordatorio de|el recordatorio del"
        "|lo de|para|sobre|que|con|cita|ese|esa|este|esta|aviso|al|nuestro|nuestra|su|esos|esas|estos|estas"
        "|eso de|eso del|aviso de|el aviso de|el aviso del|la cita|la cita del|la cita de|lo del|lo de la"
        "|lo de los|lo de las|la alarma de|la alarma del|tema de|tema del|el de|la de|los de|las de|a|ir a|ir al"
        "|recordatorio de|recordatorio del|recordatorio para|todo lo de|todo lo del|con el|con la"
    ),
    determiners="el|la|los|las|mi|mis|nuestro|nuestra|nuestros|tu|tus|su|sus|este|esta|ese|esa|lo",
    pronouns=(
        "lo|la|los|las|eso|esto|ese|esa|ello|el último|la última|me|mi|te|nos|esos|esas|ellos|ellas|el|este|esta"
        "|aquello|todo esto|lo último|lo ultimo|el ultimo|la ultima|le|les"
    ),
    undos=(
        "(deshacer/deshaz/deshazlo/desházlo/deshacé/deshacelo/deshase/desaz/undo/revertir/revierte/reviértelo/"
        "reviertelo/revertí/atrás/atras/ups/uy/regresa/restablece) (eso/esto/)"
        "|(vuelve/volvé/volver/ve/da marcha) (atrás/atras)|me (equivoqué/equivoque)|(anula/cancela) (lo último/"
        "lo ultimo/eso/esto/lo anterior/el último cambio/el ultimo cambio/la última acción/la ultima accion)"
        "|(déjalo/dejalo) como (estaba/antes)|ctrl z|(quita/borra) (lo último/lo ultimo)|marcha (atrás/atras)"
        "|échalo para atrás|echalo para atras|eso no (era/quería/queria)"
    ),
    undo_fillers=(
        "eso|esto|lo|lo último|lo ultimo|último|ultimo|última|ultima|el|la|cambio|acción|accion|paso"
        "|lo que hiciste|lo que has hecho|lo que hice|lo que acabo de hacer|lo que acabas de hacer|lo anterior"
        "|anterior|no|espera|perdón|perdon|por favor|porfa|mejor|ya|que|me|puedes|podrías|como estaba|ups|ay"
        "|lo de antes|de antes|todo|me equivoqué|me equivoque|fue un error|por error"
    ),
    helps=(
        "(ayuda/ayúdame/ayudame/ayudenme/help/?/comandos/instrucciones/start/socorro/menú/menu/opciones/"
        "funciones/manual/info/guía/guia/tutorial/ejemplos/auxilio)|(qué/que/q/ke) (más/mas/cosas/otras cosas/"
        ") (puedes/sabes/podés/podes/puedo/sabés/haces/hacés/puede/sabe/entiendes/ofreces) (hacer/decir/decirte/"
        "pedir/pedirte/preguntar/escribir/) (tú/tu/vos/por mí/por mi/)"
        "|(para qué/para que) (sirves/sirve/sirve esto/sirve este bot)|(cómo/como) (funciona/funcionas/funcionás/"
        "se usa/se utiliza/te uso/te utilizo/uso/puedo usarte/puedo usar/se hace/va) (esto/este bot/el bot/tu/"
        "duly/)|necesito ayuda|(me puedes/puedes/me podrías/podrías/podrias) (ayudar/ayudarme)"
        "|no (entiendo/lo entiendo/te entiendo/sé cómo funciona/se como funciona)|(quién/quien/qué/que) eres"
        "|(qué/que) es esto|(cuáles/cuales) son (tus/los) (comandos/funciones/opciones)"
        "|(muéstrame/muestrame/dame) (la/los/) (ayuda/comandos/opciones/funciones)|una ayudita"
        "|cómo (creo/hago/pongo) un recordatorio|como (creo/hago/pongo) un recordatorio"
        "|en (qué/que) (me/) (puedes/podrias) ayudar|en (qué/que) (puedes/podrias) ayudarme|explícame|explicame"
    ),
    help_fillers=(
        "por mí|por mi|aquí|aqui|exactamente|todo|tú|tu|esto|con esto|un poco|me|mejor|entonces|con|de|este|bot|y"
        "|hacer|las|los|pues|para mi|conmigo|contigo|cosas|más|mas"
    ),
    yes=(
        "sí|si|s|claro|vale|ok|okay|correcto|exacto|eso es|dale|sí por favor|si por favor|por supuesto|de acuerdo"
        "|hazlo|así es"
    ),
    no=(
        "no|n|nop|qué va|mejor no|no gracias|cancela|cancelar|déjalo|dejalo|ninguno|ninguna|mal|incorrecto"
        "|olvídalo|olvidalo|nada"
    ),
)
