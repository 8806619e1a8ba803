"""How people say in French what they did."""

from __future__ import annotations

from duly.language.replies.claims.form import ClaimWords, Matter

CLAIMS = ClaimWords(
    deed_macros=("done", "bare", "doing"),
    plain=(
        "fait faite faites faits fini terminé terminée finie finies achevé accompli complété effectué réglé "
        "réglée validé "
        "confirmé coché donné donnée mis mise mises mettre finir terminer faire le la les lui leur prendre pris prise "
        "prises rendre ça rempli remplie jeté expédié"
    ),
    takes="pris prise prises prendre avalé avalée avalés avaler",
    deeds={
        Matter.MEDICINE: "avalé avalée avalés avaler bu boire",
        Matter.VITAMINS: "avalé avalée avalés avaler bu boire",
        Matter.EAT: "mangé manger",
        Matter.DRINK: "bu boire",
        Matter.PAY: "payé payée payés payer régler",
        Matter.CALL: "appelé appelée appelés appelées appeler téléphoné téléphoner parlé parler eu eue",
        Matter.SEND: "envoyé envoyée envoyés envoyer écrit écrire répondu répondre posté postée poster expédié déposé "
        "déposée déposer rendu rendue",
        Matter.BUY: "acheté achetée achetés acheter commandé commandée commander",
        Matter.WASH: "lavé lavée lavés laver nettoyé nettoyer rangé rangée ranger étendu étendue",
        Matter.WATER: "arrosé arrosée arrosées arroser",
        Matter.FEED: "nourri nourris nourrie nourrir",
        Matter.BOOK: "réservé réservée réserver",
        Matter.MEASURE: "mesuré mesurée mesurer",
        Matter.SIGN: "signé signée signer rempli remplie",
        Matter.LOCK: "fermé",
        Matter.TRASH: "sorti sortie sortis sorties sortir jeté vidé vidée descendu",
        Matter.FETCH: "récupéré récupérée récupérer",
        Matter.BRING: "rendu rendue rendre déposé déposée déposer",
        Matter.WALK: "promené promenée promenés promener",
        Matter.PRINT: "imprimé scanné renouvelé",
        Matter.OFF: "éteint éteinte",
        Matter.VISIT: "allé allée",
    },
    things={
        Matter.MEDICINE: "médicament* pilule* cachet* comprimé* dose* gouttes traitement* médoc* piqûre* "
        "injection* sirop* "
        "antibio* gélule*",
        Matter.VITAMINS: "vitamine* complément*",
        Matter.EAT: "mange* manger déjeuner dîner repas fruit* goûter",
        Matter.DRINK: "boire bois eau thé café jus",
        Matter.PAY: "pay* paie régler loyer* facture* impôt* assurance* amende* cotisation*",
        Matter.CALL: "appel* téléphon* rappeler joindre",
        Matter.SEND: "envo* écri* lettre* message* courrier* répond* poste poster colis dossier* rapport* rend* mail* "
        "dépos*",
        Matter.BUY: "achet* command* courses lait pain",
        Matter.WASH: "lav* nettoy* lessive vaisselle rang* aspirateur repass* salle cuisine voiture linge",
        Matter.WATER: "arros* plante* fleur* jardin",
        Matter.FEED: "nourri* chat* chien* poisson*",
        Matter.BOOK: "réserv* rendez rdv table hôtel vol",
        Matter.MEASURE: "mesur* tension glycémie sucre température pese*",
        Matter.SIGN: "sign* contrat* formulaire* rempli*",
        Matter.LOCK: "fermer ferme fermes porte* fenêtre* verrouill*",
        Matter.TRASH: "poubelle* ordures sortir sors vider vide recyclage",
        Matter.FETCH: "récupér* chercher enfants",
        Matter.BRING: "rendre rends rapport* ramen* bibliothèque livre* dépos*",
        Matter.WALK: "promen* chien*",
        Matter.PRINT: "imprim* scann* renouvel*",
        Matter.CHARGE: "charg* batterie",
        Matter.COOK: "cuisin* dîner",
        Matter.VISIT: "dentiste médecin docteur sport gym réunion aller rdv rendez",
        Matter.OFF: "étein* four lumière* chauffage",
    },
    persons=(
        "maman mère papa père femme mari fils fille frère soeur sœur mamie papi infirmière infirmier ami amie "
        "voisin voisine "
        "chef elle il ils elles quelqu'un enfants chien chat|ma femme|mon mari|ma mère|mon père|mon fils|ma fille"
        "|l'infirmière|mon frère|ma sœur|les enfants|mon ami"
    ),
    mine="jai je jlai moi jlai nous on ai ma mon mes",
    partly=(
        "moitié demi demie mauvais mauvaise double presque sauf crois pense espère suppose probablement peut-être "
        "vomi autre partie quelques seulement|deux fois|une sur deux|la moitié|à moitié|je crois|je pense|j'espère"
        "|je suppose|peut être|pas sûr|pas sûre|un des deux|l'autre|je devrais|je l'ai vomi|sans doute|il me semble"
    ),
    spent="sont finies|sont finis|sont terminées|sont terminés|est finie|il n'y en a plus",
    long_ago=(
        "hier|avant hier|la semaine dernière|l'autre jour|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"
        "|la dernière fois|le mois dernier"
    ),
    parts={
        "ce matin": 4,
        "au réveil": 4,
        "en me levant": 4,
        "petit déj": 5,
        "petit déjeuner": 5,
        "ce midi": 11,
        "déjeuner": 11,
        "cet après midi": 12,
        "dîner": 18,
        "ce soir": 17,
        "cette nuit": 0,
    },
    afternoon="soir après-midi",
    beside="avec après avant pendant au",
    well="bien|tout bon|ça va|tout va bien|c'est bien|bon|ça roule|ça marche",
    skips="saute* zappe* passe* skip abandonne sans",
    either="oublie",
    advised="médecin docteur doc pharmacien pharmacienne",
    take="prend* prenez",
    unwilling=(
        "|je veux pas|je ne veux pas|veux pas|j'ai pas envie|je n'ai pas envie|pas envie|j'ai la flemme|flemme"
        "|la flemme"
        "|je refuse|j'ai plus envie|ça me dit rien|ça ne me dit rien|le médecin m'a dit|mon médecin m'a dit"
        "|le docteur m'a dit|le médecin a dit|mon médecin a dit|le docteur a dit|la docteure m'a dit"
    ),
    as_mine={"a": "ai", "l'a": "l'ai", "ont": "avons", "l'ont": "l'ai"},
    articles="le la les un une des du de au aux mon ma mes ton ta tes ce cette ces l d à",
    it="ça",
)
