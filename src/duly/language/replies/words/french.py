"""How people answer a reminder in French."""

from __future__ import annotations

from duly.language.atoms import Unit
from duly.language.replies.form import ReplyRole, ReplyWords

_MACROS = {
    "done": (
        "fait|pris|prise|prises|fini|terminé|bu|mangé|avalé|achevé|accompli|complété|payé|appelé|envoyé|acheté"
        "|réglé|arrosé|nettoyé|lavé|réservé|rendu|fermé|nourri|effectué"
    ),
    "bare": "fait|fini|=terminé|=réglé|=payé|=envoyé|=accompli|pris|prise|=effectué|=complété|=validé|=confirmé",
    "medicine": (
        "médicament|médicaments|pilule|pilules|cachet|cachets|comprimé|comprimés|vitamine|vitamines|dose|gouttes"
        "|traitement|médoc|médocs"
    ),
    "thing": "ça|cela|tout|(le|la|les|mon|ma|mes|ce|cette) {medicine}",
    "have": "j'ai|je l'ai|je les ai|nous avons|on a|on l'a|l'ai|ai|je viens de l'avoir|moi j'ai|moi je l'ai",
    "already": "déjà|tout|juste|enfin|aujourd'hui|ce matin",
    "reminder": "ça|cela|le|la|tout|le rappel|rappel|ce rappel|l'alarme",
    "again": "encore|à nouveau|de nouveau|encore une fois|s'il te plaît|s'il vous plaît|stp|svp|plutôt",
    "about": "environ|à peu près|encore|peut être|juste|genre",
    "when": (
        "dans [{about}] <duration>|d'ici [{about}] <duration>|(pour|pendant|après|de) [{about}] <duration>|<time>"
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
    "today": "aujourd'hui|cette fois|pour aujourd'hui|pour cette fois|ce soir|ce coup ci|cette fois ci",
    "that": "(celui|celle) (là|ci)|(ce|cette) (rappel|dose|{medicine})|mon tour",
    "place": (
        "au (travail|boulot|lit|resto|bureau|volant|téléphone|sport)|en (voiture|route|cours|ville|réunion)|dehors"
        "|sous la douche|à (table|l'école)|dans (le|la) (train|bus|métro|voiture|rue)|pas chez moi|sorti|sortie"
    ),
    "isnt": "ce n'est|c'est|c|j'en ai|je n'en ai|il n'y a|y a",
    "could": "[est ce que] (tu peux|vous pouvez|tu pourrais)|(peux|pourrais) tu|(pouvez|pourriez) vous",
    "please": "s'il te plaît|s'il vous plaît|stp|svp",
}
_PHRASES = {
    ReplyRole.YES: """
oui|ouais|ouep|ouaip|yep|yes|mais si|si si|mais oui|bien sûr|d'accord|dac|bien|bon
exact|d'acc
exactement|tout à fait|absolument|certainement|(c'est|c) bon|tout est bon|voilà|oui déjà|c'est bien|c'est ok
tout est ok|c'est tout bon|tout va bien|ça marche|ça roule|ça va
évidemment|carrément|confirmé|je confirme|c'est d'accord""",
    ReplyRole.HEARD: """
entendu|bien entendu|[j'ai] [bien] compris|[c'est] [bien] noté|je note|[bien] reçu|volontiers
parfait|très bien|génial|nickel|impeccable|excellent|cool|bravo|formidable""",
    ReplyRole.DONE: """
[c'est|c est|c|tout est|tout|voilà|tout c'est|voilà c'est] {bare}
(c'est|tout est|voilà c'est) (terminé|réglé|payé|envoyé|fait|fini|bon pour moi|prise|pris)
{have} [bien] ({done}|termine) [{thing}]|[mes|les|mon|le|la] {medicine} (pris|prise|prises)|mission accomplie|ça y est
je suis prêt c'est fait|tâche (accomplie|terminée|faite)""",
    ReplyRole.ALREADY: """
{have} {already} [{already}] {done} [{thing}] [{already}]|{have} {done} [{thing}] {already}
[c'est|c|tout est] déjà {bare}|déjà (terminé|réglé|payé|envoyé|{bare})
(c'est|tout est) déjà (terminé|réglé|payé|envoyé|{bare})
(c'est|tout est) {bare} (déjà|depuis longtemps|depuis <duration>)|{bare} (déjà|depuis longtemps|depuis <duration>)
je viens (juste|tout juste) de (le|la|les) (prendre|faire|finir|terminer)
je viens de (le|la|les) (prendre|faire|finir|terminer)|je viens (de finir|de terminer)
[je] viens de (finir|terminer|le faire|le prendre|la prendre|les prendre)
{have} [{already}] {done} [{thing}] il y a [{about}] <duration>|(c'est|tout est) {bare} il y a [{about}] <duration>
{bare} il y a [{about}] <duration>|[déjà] {bare} ce matin|ce matin {have} [déjà] {done} [{thing}]
il y a [{about}] <duration> {have} {done} [{thing}]
{have} [{already}] {done} [{thing}] avec (mon|un|le|du|de l') (café|thé|repas|petit déj|déjeuner|eau|dîner)""",
    ReplyRole.NO: "non|nan|nope|mais non|no|que non",
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
ne me rappelle (pas|plus)|plus de rappel|plus la peine""",
    ReplyRole.REFUSE: """
[{today}] je (saute|zappe|passe) [ça|{that}] [{today}]|je (le|la|les) (saute|zappe) [{today}]|{today} non
[{today}] je [ne] (le|la|les) (prends|fais|prendrai|ferai) pas {today}|{today} je [ne] (le|la|les) (prends|fais) pas
pas aujourd'hui|pas cette fois|pas intéressé|pas intéressée|je n'en veux (pas|plus)|[je] [ne] veux pas|j'ai pas envie
je n'ai pas envie""",
    ReplyRole.LATER: """
{soon}|pas {now}|pas de suite|pas encore|non pas encore|toujours pas|pas tout à fait|pas là|plutôt {soon}|plutôt {when}
une autre fois|à plus tard pour ça|pas ce moment
[je suis] [trop|très|un peu|assez] (occupé|occupée|pris) (là|en ce moment|maintenant|pour l'instant)
[je suis] [trop|très|un peu|encore] (occupé|occupée|occupe) [{now}]
(pas le temps|[je] [n'ai] pas le temps|j'ai pas le temps) [{now}]|je (ne peux|peux) pas [{now}]|je suis en réunion
en réunion|je conduis|je suis [encore] {place} [{now}]|je (mange|bosse|travaille|dors|cuisine) [{now}]
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
(reporte|reporter|reportez|repousse|repousser|décale) [{reminder}] [à|de|d'|pour] [{when}|{soon}|<duration>|<number>]
(décaler|retarde|retarder|remets|snooze|différer) [{reminder}] [à|de|pour] [{when}|{soon}|<duration>|<number>]
diffère [{reminder}] [à|de|pour] [{when}|{soon}|<duration>|<number>]""",
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
    ReplyRole.AGO: "il y a [{about}] <duration>|à l'instant|il y a un (moment|instant)",
    ReplyRole.JOIN: "mais|et|alors que|sauf",
    ReplyRole.OTHER: """
[très|trop|plutôt] (bien|mal|à peine|à moitié|si|vite) {done}|pas du tout|ah bon|bon [,] (ben|bah|alors|bon)
(si|quand|comme si|dès que|une fois que) (c'est|j'ai|je l'ai|tout est|tout|fini|fait) [{done}]|tout à fait pas
au fait""",
    ReplyRole.MOCK: """
mais oui [,] (bien sûr|c'est ça)|[mais|oui] [,] (c'est ça|bien sûr) [,] (oui|ouais)
(oh|ah|bah|ben|haha|lol|mdr) [,] [oui] [,] (bien sûr|parfait|super|génial|bravo|bien|évidemment)""",
    ReplyRole.PARTING: "à plus|à plus tard|à bientôt|à tout à l'heure",
    ReplyRole.THANKS: "merci|merci beaucoup|merci bien|merci à toi|grand merci|mille mercis",
    ReplyRole.POLITE: """
merci (pour le|du|de ton|de votre) rappel|merci de (me le rappeler|demander)
s'il te plaît|s'il vous plaît|stp|svp|désolé|désolée|pardon|excuse moi|excusez moi
bonjour|bonsoir|bonne (nuit|journée|soirée)|salut|coucou|au revoir|ben|bah|eh bien|euh
alors|donc|mon ami|chéri|chérie|allez|en fait|finalement|moi""",
}

REPLIES = ReplyWords(
    phrases=_PHRASES,
    macros=_MACROS,
    negations="non|pas|plus|ne|je|ce|toujours",
    future="dans",
    at="à",
    until="jusqu'à|jusqu'au|jusque|pas avant",
    openers="à|vers|ce|cet|cette|aujourd'hui",
    days="demain|après-demain|soir|midi|minuit",
    inner="à|vers|matin|après|midi|h|heure|heures|et|demie|quart|moins|le|la|prochain|prochaine|semaine|ce|du",
    plus="et",
    typed={"cest": "c'est", "pa": "pas", "jai": "j'ai", "ds": "dans", "tt": "tout", "mtn": "maintenant"},
    half="demie|demi",
    more="petites|bonnes|autres",
    lengths={
        1: "une petite minute",
        15: "quart d'heure|un quart d'heure|un petit quart d'heure",
        30: "demi heure|une demi heure|d'une demi heure|demie heure|une demie heure",
        45: "trois quarts d'heure",
        60: "une petite heure",
        90: "heure et demie|une heure et demie|une heure trente",
    },
    numbers={1: "d'un|d'une"},
    units={Unit.MINUTE: "minutte"},
)
