"""How people answer a reminder in French."""

from __future__ import annotations

from duly.language.atoms import Unit
from duly.language.replies.form import ReplyRole, ReplyWords

_VERBS = (
    "prendre|faire|finir|terminer|payer|régler|laver|nettoyer|sortir|ranger|rendre|poster|déposer|réserver|commander"
    "|signer|récupérer|mesurer|répondre|manger|boire|nourrir|mettre|téléphoner|parler|écrire|appeler|envoyer|acheter"
    "|arroser|avaler|promener"
)
_MACROS = {
    "doing": f"[le|la|les|lui|leur] ({_VERBS})|l'appeler|l'envoyer|l'acheter|l'arroser|l'avaler|les arroser",
    "done": (
        "faite|faites|faits|appelée|appelés|appelées|payée|payés|envoyée|envoyés|achetée|achetés|arrosées|arrosée"
        "|avalée"
        "|avalés|terminée|finie|lavée|lavés|sortie|sorti|sortis|sorties|étendu|étendue|rangé|rangée|posté"
        "|postée|déposé|déposée|commandé"
        "|commandée"
        "|signé|signée|rempli|remplie|récupéré|récupérée|renouvelé|éteint|éteinte|mesuré|mesurée|mis|mise|mises|répondu"
        "|téléphoné|parlé|écrit|donné|donnée|jeté|imprimé|scanné|réservée|rendue|nourris|nourrie|vidé|vidée"
        "|fait|pris|prise|prises|fini|terminé|bu|mangé|avalé|achevé|accompli|complété|payé|appelé|envoyé|acheté"
        "|réglé|arrosé|nettoyé|lavé|réservé|rendu|fermé|nourri|effectué"
    ),
    "bare": "faite|faites|bu|rendu|rempli|mis|nourri|prises|=avalé|=avalée|=acheté|=arrosé|=arrosées|=lavé"
    "|=nettoyé|=rangé|=posté"
    "|=déposé|=réservé|=commandé|=signé|=récupéré|=renouvelé|éteint|=mesuré|=mesurée|=étendu|sorties|=appelé"
    "|=mangé|=achevé|=coché"
    "|=répondu|=expédié"
    "|=payée|=envoyée|=terminée|=réglée|fait|fini|=terminé|=réglé|=payé|=envoyé|=accompli|pris|prise|=effectué"
    "|=complété|=validé|=confirmé",
    "medicine": (
        "médicament|médicaments|pilule|pilules|cachet|cachets|comprimé|comprimés|vitamine|vitamines|dose|gouttes"
        "|traitement|médoc|médocs|piqûre|injection|sirop|antibio"
    ),
    "thing": "ça|cela|tout|les deux|tous|toutes|(le|la|les|mon|ma|mes|ce|cette) {medicine}",
    "have": (
        "jlai|jl'ai|j'lai|je lai|je lé|j ai|j'ai|je l'ai|je les ai|je lui ai|je leur ai|je l'ai bien|nous l'avons"
        "|nous avons|on a|on l'a|l'ai|ai|je viens de l'avoir|moi j'ai|moi je l'ai"
    ),
    "already": "bien|tout à l'heure|à l'instant|déjà|tout|juste|enfin|aujourd'hui|ce matin",
    "lately": ("ce matin|au réveil|en me levant|à l'heure|tout à l'heure|depuis (ce matin|longtemps)"),
    "meal": (
        "(avec|après|avant|pendant|au) [mon|un|le|du|de l'|ma] "
        "(café|thé|repas|petit déj|petit déjeuner|déjeuner|eau|dîner|manger|jus)"
    ),
    "reason": (
        "(c'est|il est|elle est) (annulé|annulée)|(le cours|le rendez vous|la réunion|la séance) est (annulé|annulée)"
        "|je suis [trop] (malade|blessé|blessée|enrhumé|enrhumée)|on annule|j'ai de la fièvre"
    ),
    "reminder": "ça|cela|le|la|tout|le rappel|rappel|ce rappel|l'alarme",
    "again": "encore|à nouveau|de nouveau|encore une fois|s'il te plaît|s'il vous plaît|stp|svp|plutôt",
    "about": "environ|à peu près|encore|peut être|juste|genre",
    "when": (
        "dans [{about}] (<duration>|<number>) [à peu près|environ]|d'ici [{about}] <duration>|(pour|pendant|après"
        "|de) [{about}] <duration>"
        "|<time>"
    ),
    "soon": (
        "plus tard|un peu plus tard|peut être plus tard|tout à l'heure|bientôt|après|tantôt"
        "|plus tard dans la journée|dans un (moment|instant|petit moment)|dans (quelques|deux trois) minutes"
        "|tout de suite|une autre fois|sous peu|ensuite"
    ),
    "now": "maintenant|là|pour le moment|pour l'instant|tout de suite|en ce moment|là maintenant|immédiatement",
    "act": (
        "fais|prends|ferai|prendrai|finis|termine|vais le faire|vais le prendre|vais la prendre|vais faire|vais prendre"
    ),
    "drop": (
        "annule|annuler|annulez|annulé|arrête|arrêter|arrêtez|stop|stoppe|laisse|laisse tomber|laissez|oublie"
        "|oublier|oubliez|ignore|ignorer|passe|passer|saute|sauter|supprime|supprimer|abandonne|abandonner|efface"
        "|termine ça|laisse moi tranquille|laisse moi|enlève|retire"
    ),
    "today": (
        "pour ce soir|pour ce matin|aujourd'hui|cette fois|pour aujourd'hui|pour cette fois|ce soir|ce coup ci"
        "|cette fois ci"
    ),
    "that": "(celui|celle) (là|la|ci)|(ce|cette) (rappel|dose|{medicine})|mon tour",
    "place": (
        "au (taf|ciné|bureau|travail|boulot|lit|resto|bureau|volant|téléphone|sport)|en (voiture|route|cours|ville"
        "|réunion)|dehors"
        "|sous la douche|à (table|l'école)|à la (maison|bourre)|dans (le|la) (train|bus|métro|voiture|rue)"
        "|pas chez moi|sorti|sortie"
    ),
    "isnt": "ce n'est|c'est|c|j'en ai|je n'en ai|il n'y a|y a",
    "could": "[est ce que] (tu peux|vous pouvez|tu pourrais)|(peux|pourrais) tu|(pouvez|pourriez) vous",
    "iam": "je suis|chui|chuis|jsuis|j'suis|chu|suis",
    "please": "s'il te plaît|s'il vous plaît|stp|svp",
}
_PHRASES = {
    ReplyRole.YES: """
oui|ouais|ouep|ouaip|yep|yes|mais si|si si|mais oui|bien sûr|d'accord|dac|bien|bon
exact|d'acc|wi|ui|uep|oué|affirmatif|effectivement|en effet|bien sûr que oui|tout bon|[c'est] en ordre|okè
exactement|tout à fait|absolument|certainement|(c'est|c) bon|tout est bon|voilà|oui déjà|c'est bien|c'est ok
tout est ok|c'est tout bon|tout va bien|ça marche|ça roule|ça va
évidemment|carrément|confirmé|je confirme|c'est d'accord""",
    ReplyRole.HEARD: """
entendu|bien entendu|[j'ai] [bien] compris|[c'est] [bien] noté|je note|[bien] reçu|volontiers
parfait|très bien|génial|nickel|impeccable|excellent|cool|bravo|formidable""",
    ReplyRole.DONE: """
[c'est|c est|c|tout est|tout|voilà|tout c'est|voilà c'est|enfin|ça c'est|ça c|bien] {bare} [tantôt]
(les deux|tous) {bare}
enfin c'est {bare}|{bare} à l'instant|[juste] à l'instant|une bonne chose de faite|(ce matin|tout à l'heure) déjà
(il est|elle est|ils sont|elles sont) (nourri|nourris|nourrie|arrosées|lavé|lavés|payée|payé)
j'y suis allé|j'y suis allée|[je] suis allé|{have} {done} [{thing}] (à|vers) <clock> [h|heures]
{bare} (à|vers) <clock> [h|heures]
{bare} avec (mon|un|le|du|de l') (café|thé|repas|petit déj|déjeuner|eau|dîner)|je l'ai
{medicine} (prise|prises|mise|mises|faite|faites|avalé|avalés)
ça (est|sont) [déjà|bien] ({bare}|{done})
(c'est|tout est|voilà c'est) (terminé|réglé|payé|envoyé|fait|fini|bon pour moi|prise|pris)
{have} [bien] ({done}|termine) [{thing}]|[mes|les|mon|le|la] {medicine} (pris|prise|prises)|mission accomplie|ça y est
je suis prêt c'est fait|tâche (accomplie|terminée|faite)
je m'en suis (occupé|occupée|chargé)|j'ai donné à (manger|boire)
{bare} toutes les deux|{bare} tous les deux
c'est bon pour aujourd'hui|[c'est] tout {bare}|je l'ai (eu|eue) au (tel|téléphone)|{have} {done} les deux {medicine}""",
    ReplyRole.ALREADY: """
{have} {already} [{already}] {done} [{thing}] [{already}]|{have} {done} [{thing}] {already}
[c'est|c|tout est] déjà {bare}|déjà (terminé|réglé|payé|envoyé|{bare})
(c'est|tout est) déjà (terminé|réglé|payé|envoyé|{bare})
(c'est|tout est) {bare} (déjà|depuis longtemps|depuis <duration>)|{bare} (déjà|depuis longtemps|depuis <duration>)
je viens (juste|tout juste) de (le|la|les) (prendre|faire|finir|terminer)
je viens de (le|la|les) (prendre|faire|finir|terminer)|je viens (de finir|de terminer)
je viens d'appeler|je viens de (l'appeler|l'envoyer|payer|le payer|l'acheter)
[je] viens de (finir|terminer|le faire|le prendre|la prendre|les prendre)
{have} [{already}] {done} [{thing}] il y a [{about}] <duration>|(c'est|tout est) {bare} il y a [{about}] <duration>
{bare} (il y a|y a|ya) [{about}] <duration>|déjà fais [ce matin|hier|tantôt]
[déjà] {bare} ce matin|ce matin {have} [déjà] {done} [{thing}]
il y a [{about}] <duration> {have} {done} [{thing}]
{have} [{already}] {done} [{thing}] avec (mon|un|le|du|de l') (café|thé|repas|petit déj|déjeuner|eau|dîner)
[je] viens [juste|tout juste] de {doing} [{thing}]""",
    ReplyRole.NO: "non|nan|nope|mais non|no|que non",
    ReplyRole.DENY: """
pas ({done}|prêt|prête)|[je] [ne] {have} pas {done} [{thing}]|[je] [ne] (l'ai|les ai|n'ai|ai) pas {done} [{thing}]
[ce|c'est|c|ce n'est] (pas|n'est pas) {done}|c'est pas {done}|ce n'est pas {done}|je n'ai pas ({done}|pu)
j'ai pas ({done}|pu)|pas pu""",
    ReplyRole.DROP: """
{drop} {that} [{please}|{today}]|(zappe|on zappe|on saute|on oublie|on laisse tomber|on passe) [ça|{that}] [{today}]
pas de {medicine} {today}
{drop} [{reminder}] [{please}|pour aujourd'hui|aujourd'hui|cette fois]
[{isnt}] (pas|plus) (besoin|nécessaire|la peine|obligé|utile) [de ça|aujourd'hui]
[je] [n'ai] (pas|plus) besoin|inutile|pas la peine [aujourd'hui]
ce n'est (pas|plus) nécessaire|c'est (pas|plus) nécessaire
non nécessaire|pas nécessaire|plus nécessaire|pas besoin de ça
(arrête|arrêtez) de me [le] rappeler|oublie tout ça|c'est inutile|ça suffit|tant pis|peu importe|n'importe
c'est pas grave|ne me le rappelle (pas|plus)
ne me rappelle (pas|plus)|plus de rappel|plus la peine
laisse béton|passe pour cette fois|arrête de me relancer|(suffit|assez)|tant pis [pour aujourd'hui]|osef
[on] s'en fout|[je] m'en (fous|fiche)
(arrête|stop) les rappels|c'est annulé|[c'est] plus d'actualité|lâche [l'affaire]|rien {today}|pas de rappel {today}
(arrête|stop) les (notifs|notifications)|ça sert à rien [annule]|(on oublie|on laisse tomber|on zappe|on saute)
ne me rappelle plus ça|(saute|zappe|passe) pour ce soir
arrête avec ça
non (laisse [tomber]|annule|c'est pas la peine|pas la peine|oublie)""",
    ReplyRole.REFUSE: """
[{today}] je (saute|zappe|passe) [ça|{that}] [{today}]|je (le|la|les) (saute|zappe) [{today}]|{today} non
[{today}] je [ne] (le|la|les) (prends|fais|prendrai|ferai) pas {today}|{today} je [ne] (le|la|les) (prends|fais) pas
pas aujourd'hui|pas cette fois|pas intéressé|pas intéressée|je n'en veux (pas|plus)|[je] [ne] veux pas|j'ai pas envie
je n'ai pas envie
je skip [{today}]|pas ({today}|cette fois ci|envie [{today}])|{today} pas|[j'ai] [la] flemme [{today}]
je [ne] (le|la|les) (fais|prends|ferai|prendrai) pas
j'en prends pas {today}|sans {today}|j'abandonne
j'en veux (pas|plus)|je [ne] veux (plus|pas)|j'en veux pas {today}""",
    ReplyRole.NOT_YET: """
pas encore|non pas encore|toujours pas|pas maintenant|pas là|pas tout de suite|pas pour (l'instant|le moment)
plus tard|après
(je ne peux|je peux|jpeux|j'peux) pas {now}|[j'ai|je n'ai] pas le temps [{now}]|pas de suite|tout à l'heure
un peu plus tard|tantôt|(pas moyen|impossible) là
[j'ai|je n'ai] pas [encore] eu le temps|[je] [l'ai|j'ai|je l'ai|c'est|c] pas encore {done}
{iam} (encore|toujours) (au|en|à|dans|sur|chez)|{iam} en train de|{iam} (chez|dans)|attends que
je dois (d'abord|encore)|faut d'abord
laisse moi (le temps|finir|manger|arriver)|je finis [un truc|ça]|je n'ai pas encore|j'ai pas encore
{now} je [ne] (peux|suis)
{iam} (avec|à|au|en|sur)|dès que je (rentre|peux)|quand je (rentre|peux)
je fais (la cuisine|à manger|les courses)|laisse moi dormir
[c'est] trop tôt [encore]|pas encore (rentré|rentrée|levé|levée)""",
    ReplyRole.LATER: """
{soon}|pas {now}|pas de suite|pas encore|non pas encore|toujours pas|pas tout à fait|pas là|plutôt {soon}|plutôt {when}
une autre fois|à plus tard pour ça|pas ce moment
[{iam}] [trop|très|un peu|assez] (occupé|occupée|pris) (là|en ce moment|maintenant|pour l'instant)
[{iam}] [trop|très|un peu|encore] (occupé|occupée|occupe) [{now}]
(pas le temps|[je] [n'ai] pas le temps|j'ai pas le temps) [{now}]|(je ne peux|je peux|jpeux|j'peux) pas [{now}]
plutard|je suis en réunion
en réunion|je conduis|{iam} [encore] {place} [{now}]|je (mange|bosse|travaille|dors|cuisine) [{now}]
[je] [j'ai|n'ai|ai] pas [encore|vraiment] eu le temps [encore]|quand je (rentre|serai rentré|serai rentrée|reviens)
après (manger|le repas|le déjeuner|le dîner|le boulot|le travail|la réunion|ma douche)
(attends|attendez|attend|patiente) [un (peu|moment|instant|petit peu)|une seconde|{when}|<duration>]
(attends|attendez|attend|patiente) [encore <duration>]|un (instant|moment|petit moment|petit instant) [stp|svp]
une (seconde|petite seconde)|deux secondes|minute|un peu plus|encore un peu|plus de temps|encore un (moment|instant)
(donne|donnez|laisse) moi [encore] [{about}] (<duration>|un (moment|instant|peu de temps)) [de plus|encore]
(donne|donnez|laisse) moi [encore] [{about}] (une seconde|quelques minutes|plus de temps) [de plus|encore]
[il me faut|j'ai besoin de] [encore] [{about}] (<duration>|plus de temps|quelques minutes) [de plus]
[j'ai besoin d'encore] [encore] [{about}] (<duration>|plus de temps|quelques minutes) [de plus]
[dans|encore] [quelques|deux trois] minutes
[juste|encore|encore juste] [{about}] <duration> [de plus|encore|plus tard|stp|svp|s'il te plaît]
[juste|plutôt|mais|alors|pas avant] {when} [de plus|encore|stp|svp|plutôt]
(pas encore|toujours pas) ({done}|prêt|prête) [{thing}]
[je] [ne] [l'ai|n'ai|ai|j'ai|je l'ai|c'est|ce n'est|l'a] (pas encore|toujours pas) ({done}|prêt) [{thing}]
je ne (l'ai|les ai) (pas encore|toujours pas) {done}|je [ne] suis (pas encore|toujours pas) (prêt|prête)
pas (dispo|disponible)|(c'est|c) (pas encore|toujours pas) {done}
[c'est|j'ai|je l'ai|je suis] (presque|bientôt|quasiment|à moitié) ({done}|prêt|prête)|presque
[c'est|ce sera|j'aurai|je l'aurai|sera] {done} (dans [{about}] <duration>|{soon})
[ce sera] {done} dans [{about}] <duration>|je [le|la|les] {act} [{soon}|{when}|{now}]
je vais (le|la|les) (faire|prendre) [{soon}|{when}|{now}]|j'y vais|j'arrive|je m'en occupe|en cours|je suis en train
ça vient|je le ferai|je suis dessus
(reporte|reporter|reportez|repousse|repousser|décale) [{reminder}] [de|d'|pour] [{when}|{soon}|<duration>|<number>]
(décaler|retarde|retarder|remets|snooze|différer) [{reminder}] [de|pour] [{when}|{soon}|<duration>|<number>]
diffère [{reminder}] [de|pour] [{when}|{soon}|<duration>|<number>]
{place}|on est à table|à la maison|[{iam}] (pas|pas encore) (dispo|disponible|chez moi|rentré|rentrée|à la maison)
(une|deux|2) sec|minute papillon|encore un peu de temps|donne moi du temps|[j'ai] besoin de [plus de] temps
(repousse|décale|reporte) un peu|à moitié|à moitié {done}
[ah|oups|zut|mince|mdr|oh|merde] [non] [j'ai] [complètement|totalement] =oublié
un autre moment|[c'est] trop tôt|(pas moyen|impossible) {now}|je suis en train de manger|[{iam}] pas encore rendu là
on verra <time>
je (l'appelle|paie|paye|les appelle) [{soon}|{when}|{now}]|je m'y mets|je m'en charge|de suite|pas {place}
là je peux pas|j'ai pas encore pu|dans pas longtemps|je rentre (bientôt|{soon})|je dormais|je dors encore
là (je bosse|je mange|je conduis)""",
    ReplyRole.REMIND: """
(rappelle|rappelez|redemande|demande|préviens|relance) [le|la] [moi|me] [ça|le] [{again}] [{when}|{soon}] [{again}]
(réveille|reviens|avertis) [le|la] [moi|me] [ça|le] [{again}] [{when}|{soon}] [{again}]
(rappelle|rappelez) le moi [{again}] [{when}|{soon}]|(me rappeler|me le rappeler|rappeler) [{again}] [{when}|{soon}]
(à nouveau|de nouveau|encore une fois) [{when}|{soon}]|({when}|{soon}) (rappelle|rappelez) moi [ça|le]
recommence {when}""",
    ReplyRole.ASK: """
{could} [{please}] me [le] (rappeler|redemander|relancer) [ça] [{again}] [{when}|{soon}] [{again}]
(tu me [le] rappelles|me [le] rappelles tu|vous me [le] rappelez) [ça] [{again}] [{when}|{soon}] [{again}]
(je peux|puis je|est ce que je peux) avoir [encore] [{about}] <duration> [de plus]
(tu me donnes|{could} me donner) [encore] [{about}] <duration> [de plus]""",
    ReplyRole.AGO: "il y a [{about}] <duration>|il y a un (moment|instant)",
    ReplyRole.JOIN: "mais|et|alors que",
    ReplyRole.OTHER: """
[très|trop|plutôt] (bien|mal|à peine|à moitié|si|vite) {done}|pas du tout|ah bon|bon [,] (ben|bah|alors|bon)
(si|quand|comme si|dès que|une fois que) (c'est|j'ai|je l'ai|tout est|tout|fini|fait) [{done}]|tout à fait pas
au fait
pas encore (sûr|sûre)
sauf""",
    ReplyRole.MOCK: """
mais oui [,] (bien sûr|c'est ça)|[mais|oui] [,] (c'est ça|bien sûr) [,] (oui|ouais)
(oh|ah|bah|ben|haha|lol|mdr) [,] [oui] [,] (bien sûr|parfait|super|génial|bravo|bien|évidemment)""",
    ReplyRole.PARTING: "à plus|à plus tard|à bientôt|à tout à l'heure",
    ReplyRole.THANKS: "merci|merci beaucoup|merci bien|merci à toi|grand merci|mille mercis",
    ReplyRole.POLITE: """
merci (pour le|du|de ton|de votre) rappel|merci de (me le rappeler|demander)
s'il te plaît|s'il vous plaît|stp|svp|désolé|désolée|pardon|excuse moi|excusez moi
bonjour|bonsoir|bonne (nuit|journée|soirée)|salut|coucou|au revoir|ben|bah|eh bien|euh
alors|donc|mon ami|chéri|chérie|allez|en fait|finalement|moi
maman|papa|chef|cheffe|mon coeur|mon cœur|mon amour|bb|bébé|frr|frérot|frère|frangin|mec|gros|poto|t'inquiète|tkt
ne t'inquiète pas
oups|zut|mince|ah|oh|mdr|ptdr|lol|dsl|sorry|promis|hihi|impec|c'est beau|cousin|ma belle|ma puce""",
}

REPLIES = ReplyWords(
    phrases=_PHRASES,
    macros=_MACROS,
    negations="non|pas|plus|ne|je|ce|toujours",
    future="dans",
    at="à",
    until="après|jusqu'à|jusqu'au|jusque|pas avant",
    openers="à|vers|ce|cet|cette|aujourd'hui",
    days="aprem|demain|après-demain|soir|midi|minuit",
    inner="aprem|à|vers|matin|après|midi|h|heure|heures|et|demie|quart|moins|le|la|prochain|prochaine|semaine|ce|du",
    plus="et",
    typed={
        "cest": "c'est",
        "ces": "c'est",
        "sé": "c'est",
        "cé": "c'est",
        "sa": "ça",
        "g": "j'ai",
        "jé": "j'ai",
        "auj": "aujourd'hui",
        "ajd": "aujourd'hui",
        "fai": "fait",
        "pa": "pas",
        "jai": "j'ai",
        "ds": "dans",
        "tt": "tout",
        "mtn": "maintenant",
    },
    half="demie|demi",
    more="petites|bonnes|autres",
    lengths={
        1: "une petite minute",
        15: "¼ d'heure|un ¼ d'heure|un ptit quart d'heure|quart d'heure|un quart d'heure|un petit quart d'heure",
        30: (
            "½ heure|une ½ heure|½ h|½h|une petite demi heure|une ptite demi heure|demi heure|une demi heure"
            "|d'une demi heure|demie heure|une demie heure"
        ),
        45: "trois quarts d'heure",
        60: "une petite heure",
        90: "heure et demie|une heure et demie|une heure trente",
    },
    numbers={
        1: "d'un|d'une",
        10: "dizaine de|une dizaine de",
        15: "quinzaine de|une quinzaine de",
        20: "vingtaine de|une vingtaine de",
        30: "trentaine de|une trentaine de",
    },
    units={Unit.MINUTE: "minutte"},
)
