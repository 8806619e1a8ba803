"""How people say in Spanish what they did."""

from __future__ import annotations

from duly.language.replies.claims.form import ClaimWords, Matter

CLAIMS = ClaimWords(
    deed_macros=("did", "done", "bare", "doing"),
    plain=(
        "con llave hice hicimos terminé terminamos terminar acabé acabamos acabar completé cumplí realicé hecho "
        "terminado "
        "acabado "
        "completado completo cumplido realizado listo lista listos listas hecha hechos hechas finalizado solucionado "
        "arreglado resuelto arreglé resolví solucioné terminada completada acabada confirmada di dimos dado hacer eché "
        "metí puse pasé puesto poner hacerlo hacerla ordené encargado medida tomé tomamos tomado tomada tomadas "
        "tomados "
        "tomar tomarlo tomarla tomarlos tomarlas tomarme tomármelo tomármela tomármelas chequé chequeé revisé revisado "
        "chequeado checado terminarlo terminarla acabarlo hacerlos hacerlas"
    ),
    takes=(
        "tomé tome tomamos tomado tomada tomadas tomados tomadita tomaditas tomar tomarlo tomarla tomarlos "
        "tomarlas tomármelo "
        "tomármela tomármelas tragué tragado tragada tragar* tragamos"
    ),
    deeds={
        Matter.MEDICINE: "tragué tragado tragada tragar* tragamos bebí bebido bebida beber* bebimos inyect* "
        "apliqué puse",
        Matter.VITAMINS: "tragué tragado tragada tragar* tragamos bebí bebido bebida beber* bebimos",
        Matter.EAT: "comí comido comer*",
        Matter.DRINK: "bebí bebido bebida bebidas beber* bebimos",
        Matter.PAY: "pagué pague pagado pagada pagadas pagamos pagar* deposité transferí cobré",
        Matter.CALL: "llamé llame llamado llamamos llamar* hablé hablado hablar* marqué",
        Matter.SEND: "envié enviado enviada enviamos enviar* mandé mandado mandada mandamos mandar* escribí escrito "
        "respondí respondido contesté contestado entregué entregado entregada entregar* subí subido subir* avisé "
        "avisado avisar* "
        "rellené llené llenado",
        Matter.BUY: "compré comprado comprada compramos comprar* pedí pedido encargué encargado ordené",
        Matter.WASH: "limpié limpiado limpiar* lavé lavado lavada lavar* tendid* planché barrí aspiré",
        Matter.WATER: "regué regado regada regadas regar*",
        Matter.FEED: "comió comieron",
        Matter.BOOK: "reservé reservado reservada reservar*",
        Matter.MEASURE: "medí medido medida medir*",
        Matter.SIGN: "firmé firmado firmar* rellené llené",
        Matter.LOCK: "cerré cerrado cerrada cerrar*",
        Matter.TRASH: "saqué sacado sacada sacar* tiré tirado eché",
        Matter.FETCH: "recogí recogido recogida recoger*",
        Matter.BRING: "devolví devuelto devolver* entregué entregado entregada",
        Matter.PRINT: "imprimí escaneé renové renovado",
        Matter.CHARGE: "cargué cargado",
        Matter.COOK: "cociné cocinar*",
        Matter.OFF: "apagué apagado apagar*",
        Matter.VISIT: "fui ido",
        Matter.READ: "guardé guardar*",
    },
    things={
        Matter.MEDICINE: "pastilla* medicina* medicamento* píldora* dosis gotas tableta* remedio* pasti pastis jarabe* "
        "inyección* cápsula* antibiótico* comprimido*",
        Matter.VITAMINS: "vitamina* suplemento*",
        Matter.EAT: "come comer comida cena almuerzo desayuno fruta",
        Matter.DRINK: "beber bebe agua té café jugo zumo",
        Matter.PAY: "pagar paga pago pagos pague alquiler renta factura* recibo* impuesto* seguro cuota* luz",
        Matter.CALL: "llam* telefon* hablar habla marcar",
        Matter.SEND: "envi* mand* escrib* carta* mensaje* correo* respond* contest* paquete* informe* solicitud* "
        "entreg* "
        "subir avis*",
        Matter.BUY: "compr* pedir pide pedido* leche pan encarg*",
        Matter.WASH: "tender tiende lav* limpi* ropa platos planch* barr* aspir* baño cocina coche carro",
        Matter.WATER: "regar riega planta* flores jardín",
        Matter.FEED: "aliment* gato* gata* perro* perra* pez peces comida",
        Matter.BOOK: "reserv* cita* mesa hotel vuelo",
        Matter.MEASURE: "medir mide medirme mídete presión tensión azúcar glucosa temperatura pesarme pesar pésate",
        Matter.SIGN: "firm* contrato* formulario* rellen* llenar",
        Matter.LOCK: "cerr* cierra puerta* ventana*",
        Matter.TRASH: "basura* sacar saca tirar tira reciclaje",
        Matter.FETCH: "recog* buscar niños",
        Matter.BRING: "devolv* devuelv* entreg* llevar lleva biblioteca libro*",
        Matter.WALK: "pase* perro* perra*",
        Matter.PRINT: "imprim* escane* renov*",
        Matter.CHARGE: "carg* batería móvil",
        Matter.COOK: "cocin* cena",
        Matter.VISIT: "dentista médico doctor gimnasio ir reunión cita*",
        Matter.OFF: "apag* horno luces",
        Matter.READ: "guard* leer lee",
    },
    persons=(
        "mamá mami madre papá papi padre esposa esposo mujer marido hijo hija hermano hermana abuela abuelo enfermera "
        "enfermero amigo amiga vecino vecina jefe ella él ellos alguien todos niños perro gato|mi mujer|mi marido"
        "|mi esposa|mi esposo|mi madre|mi padre|mi mamá|mi papá|mi hijo|mi hija|la enfermera|mi hermano|mi hermana"
    ),
    mine="he yo hemos me mi hice tome",
    partly=(
        "media medio mitad equivocada equivocado doble casi menos excepto salvo creo espero supongo pienso "
        "probablemente quizá quizás vomité vomitado otra otro parte algunas algunos solo|dos veces|una de dos"
        "|una de las dos|tal vez|la mitad|creo que|espero que|me parece|a lo mejor|la otra|la equivocada"
        "|no estoy seguro"
        "|no estoy segura|debería|en vez|supongo que|creo que sí"
    ),
    spent="están terminadas|se acabaron|se terminaron|están acabadas|se han acabado|ya no quedan|están terminados",
    long_ago=(
        "ayer|anteayer|anoche|antier|la semana pasada|el otro día|el lunes|el martes|el miércoles|el jueves|el viernes"
        "|el sábado|el domingo|la última vez|hace días|hace mucho"
    ),
    parts={
        "esta mañana": 4,
        "en la mañana": 4,
        "por la mañana": 4,
        "a primera hora": 4,
        "temprano": 4,
        "al levantarme": 4,
        "al despertar": 4,
        "desayuno": 5,
        "desayunar": 5,
        "almuerzo": 11,
        "almorzar": 11,
        "comida": 12,
        "esta tarde": 12,
        "cena": 18,
        "cenar": 18,
        "esta noche": 19,
    },
    afternoon="pm p.m. tarde noche",
    beside="con después antes al del",
    well="bien|todo bien|todo en orden|todo ok|bueno|está bien",
    skips="salto salt* paso pasar dejo descanso toca nada",
    either="",
    advised="médico médica doctor doctora farmacéutico",
    take="tom* tóma*",
    unwilling=(
        "|no quiero|no tengo ganas|no me da la gana|no me apetece|me niego|no pienso|paso de|sin ganas|qué pereza"
        "|el médico me dijo|la doctora me dijo|el doctor me dijo|el médico dijo|mi médico me dijo|el doctor dijo"
        "|el médico me ha dicho|mi médico dijo|la doctora dijo|no tengo gana"
    ),
    as_mine={
        "tomó": "tomé",
        "tomo": "tomé",
        "hizo": "hice",
        "pagó": "pagué",
        "pago": "pagué",
        "llamó": "llamé",
        "ha": "he",
        "terminó": "terminé",
    },
    articles="el la los las un una unos unas mi mis tu tus su sus al del de a con",
    it="eso",
)
