"""How people ask in French."""

from __future__ import annotations

from duly.language.requests.form import RequestWords

WORDS = RequestWords(
    code="fr",
    courtesies=(
        "s'il te plaît|s'il te plait|stp|svp|s'il vous plaît|s'il vous plait|merci|merci beaucoup|salut|bonjour"
        "|hey|coucou|ok|alors|dis|duly|hé|eh|maintenant|bonsoir|d'accord|bon|sil te plait|merci d'avance|oui"
        "|allez|mrc|slt|bjr|donc|please|pls|plz|thx|s te plait|s'te plait|ste plait|steuplait|stplait"
        "|s'il te plaît merci|merci bcp|merci bien|merci à toi|hello|yo|wesh|salut duly|bonjour duly|hey duly|hi"
        "|re|ah|oh|ha|euh|au fait|btw|ps|pardon|désolé|desole|excuse moi|vite|vite fait|juste|et|puis|du coup|bah"
        "|ben|hein|mec|frère|frere|mon ami|si possible|si tu peux|quand tu peux|tiens|écoute|ecoute|dis moi"
        "|dis donc|mci|cc|stpl|stpp|sinon|aussi"
    ),
    courtesy_verbs="écoute|tiens|dis",
    greetings=(
        "merci|merci beaucoup|merci bcp|merci bien|merci à toi|mrc|salut|bonjour|bonsoir|coucou|hello|hey|pardon"
        "|désolé|oui|hi|thx"
    ),
    sayings=(
        "dire|dis|dites|dis lui|dis leur|lui dire|leur dire|écrire|écris|envoyer|envoie|souhaiter|souhaite"
        "|répondre|réponds|crier|crie|transmettre"
    ),
    tells_whom="dire|dis|dites|dis lui|dis leur|lui dire|leur dire|souhaiter|souhaite",
    unfinished="un|une|le|la|les|mon|ma|mes|ton|ta|tes|son|sa|notre|votre|grand|petit|gros|avec|de|du|pour|des",
    askings=(
        "(est ce que/est-ce que/esce que/es ce que/estce que) (tu peux/tu peut/tu pourrais/vous pouvez/"
        "tu veux bien/on peut)|(peux/peut/pourrais/pourrai/veux/pouvez/pourriez/voudrais) (tu/vous) (bien/)"
        "|(tu peux/tu peut/tu pourrais/tu pourrai/tu veux bien/vous pouvez/vous pourriez/tu saurais/t'peux/"
        "tu veux) (stp/)|(j'aimerais/je voudrais/je veux/j'aimerai/jaimerais/jveux/je souhaite) (bien/) (que tu/)"
        "|(il/) faudrait (que tu/)|(il/) faut que tu|peux-tu|on peut|on pourrait|merci de|serait il possible de"
        "|c'est possible de|c possible de|ça te dérange de|pense à"
    ),
    leads=(
        "(rappelle/rappelles/rappel/rapelle/rapel/rappelez/rappele/rapele/rappeler/rapelles/rappell/raplle/"
        "rapeller/rappeles) (moi/mwa/nous/le moi/moi le) (stp/svp/aussi/encore/de nouveau/)|me (rappeler/"
        "rappelles/rappelle/rappeles/rapeler/rapeller/rappelez/rapelle/prévenir/prevenir/faire penser/préviens/"
        "previens/rappellerais/rappelais/rapelles)|(mets/met/mettre/ajoute/ajouter/crée/cree/créer/creer/fais/"
        "fait/faire/programme/programmer/planifie/pose/envoie/donne/note/enregistre/colle/mettez) (moi/nous/me/"
        ") (un/une/1/) (nouveau/petit/) (rappel/rapel/notif/notification/alerte/reminder) (pour/)"
        "|(nouveau/un/petit/1/) (rappel/rapel)|(j'ai besoin/besoin) d'un rappel"
        "|(je veux/je voudrais/j'aimerais) (un rappel/être prévenu/etre prevenu)"
        "|(fais/fait/faites) (moi/) (y/) penser (à/)"
        "|(préviens/previens/prévient/previent/avertis/averti/avertit) moi|ne me laisse pas oublier"
        "|me laisse pas oublier"
        "|(il/) (ne/) (faut/faudrait) (surtout/) pas que (j'oublie/joublie/j'oubli/je oublie/j'oublies)"
        "|(je/j) (ne/) (dois/doit/veux/voudrais/peux/devrais) (surtout/) pas oublier"
        "|(pour/) (ne/) pas (que j'oublie/que joublie)|(que/pour que) (je/j) (n/) (oublie/oublies) pas"
        "|(aide/aidez) moi à (me/) (rappeler/souvenir/penser)"
        "|tu me (rappelles/rappel/rappelle/rapelles/préviens/previens/fais penser)|tu m'y fais penser"
        "|(oublie/oublies/n'oublie/noublie/n'oublies) pas de me (rappeler/faire penser/prévenir)"
        "|(que/pour que) (je/j) (me/m) (en/) souvienne|je dois penser|ping moi"
    ),
    weak_leads=(
        "(n'oublie/noublie/oublie/n'oublies/n'oubliez) (surtout/) pas (de/)|(ne/) (surtout/) pas oublier (de/)"
        "|(à/) ne pas oublier|note|note à moi même|note à moi|note pour moi|pense bête|pense bete|pensebête|mémo"
        "|memo|todo|à faire|a faire|note moi|dis moi (de/que je dois/d)|important|souviens toi|souviens"
        "|faut que je (pense à/)|penser (à/)|signale moi|alerte moi|alerte|préviens|previens|écris moi"
        "|fais moi signe|fais signe"
    ),
    end_leads=(
        "(et/donc/alors/stp/tu peux/tu pourrais/peux tu/pourrais tu/pense à/) (me/) (rappelle/rappelles/rappel/"
        "rapelle/rappele/rappeler/rapel/rapeler) (le moi/moi/moi le/moi ça/moi ca/le/ça/ca/moi stp/le moi stp/)"
        "|(tu/) me (le/l) (rappelles/rappeler/rappelle/rappel)|(tu/) m'y (fais/feras) penser|m'y faire penser"
        "|(fais/fait) (m'y/moi y) penser|fais moi penser"
        "|(il/) (ne/) (faut/faudrait) (surtout/) pas que (je l'oublie/j'oublie/joublie/j'oubli/je loublie)"
        "|(faut/dois) (surtout/) pas (l'/) oublier|(je/j) (ne/) (dois/veux/peux) (surtout/) pas (l'/) oublier"
        "|(que/pour que) je (n/) oublie pas|(n'oublie/oublie/noublie) pas"
        "|(mets/met/fais/crée/cree/ajoute) (moi/) un rappel (stp/)|un rappel (stp/svp/)|rappel stp"
        "|(préviens/previens) moi (stp/)|à ne pas oublier|a ne pas oublier|(ne/) pas oublier"
        "|j'ai besoin d'un rappel"
    ),
    musts=(
        "(je/j/jdois/on) (dois/doit/devrai/devrais/vais/veux/ai/'ai/ai à/ai un/ai une/ai rdv/ai le) (aller/)"
        "|(il/) (faut/faudrait/faudra/y a/ya) (que je/que j'/qu'on/absolument que je/)"
        "|(j'ai/jai/on a) (un/une/le/la/à/rdv/)|je suis (censé/cense/censée/sensé)|(c'est/cest)|y a|il y a"
        "|nous devons|faut que (je/j/j'aille)|dois"
    ),
    wakes=(
        "(réveille/reveille/réveil/reveil/réveilles/reveilles/réveillez/reveillez/leve/lève/reveile) (moi/"
        "nous) (stp/svp/)|me (réveiller/reveiller/réveilles/reveilles/réveille/reveille)"
        "|(mets/met/mettre/programme/règle/regle/fais) (moi/) (mon/le/un/) (réveil/reveil)"
        "|(le/mon/un/) (réveil/reveil)"
        "|(je dois/je veux/faut que je) (me lever/me leve/me lève/me réveiller/me reveiller)|réveille moi"
    ),
    alarms=(
        "(mets/met/mettre/programme/règle/regle/crée/cree/fais/lance/ajoute) (moi/) (une/l'/mon/un/) (alarme/"
        "minuteur/minuterie/timer/chrono/compte à rebours)|(une/) alarme|(un/) minuteur|timer"
    ),
    alarm_text="alarme",
    statements=(
        "je|j|tu|il|elle|on|nous|vous|ils|elles|me|te|se|lui|toi|moi|eux|qui|que|quoi|quand|pourquoi|comment|quel"
        "|quelle|quels|combien|c'est|cest|est|était|etait|sont|étaient|suis|êtes|sommes|sera|serai|fut|être|ai"
        "|ont|avons|avez|avait|avais|aura|va|vais|vas|vont|allons|allez|allait|peux|peut|peuvent|pouvons|veux"
        "|veut|dois|doit|faut|font|arrive|arrives|arrivons|arrivent|pars|partent|parti|viens|vient|viennent|venu"
        "|rentre|rentres|sors|sort|commence|finit|ouvre|voit|vois|voyons|vu|crois|pense|sais|sait|espère|espere"
        "|aime|adore|déteste|deteste|pleut|pleuvoir|neige|ne|n|pas|non|oui|ouais|ok|peut être|peut etre|mais"
        "|parce|donc|déjà|deja|jamais|toujours|hier|dernier|dernière|derniere|bon|bonne|bien|mal|mauvais|super"
        "|génial|genial|cool|sympa|fatigué|froid|chaud|merci|bonjour|salut|bonsoir|bonne nuit|jusque|jusqu"
        "|jusqu'à|depuis|dès|vers|environ|très|tres|trop|mdr|lol|ptdr|haha|hâte|hate|à bientôt|rappel|rappels"
        "|rappelle|annule|décale|decale|déplace|tous|toutes|quelqu|personne|mon vol|ça|ca|cela|ceci|mangé|dormi"
        "|allé|pris|fini|travaille|vit|habite|dort|attend|attends|joyeux|bonne journée|prise|appelé|acheté|envoyé"
        "|oublié|payé|terminé"
    ),
    lone_statements=(
        "à la maison|maison|ici|là|la|là bas|la bas|prêt|pret|libre|occupé|occupe|tard|tôt|tot|dispo|disponible"
        "|de retour|chez moi|malade|en route|fini|parti|dehors|parfait|debout|réveillé|rentré|arrivé|levé|couché"
        "|mangé|réveillée|rentrée|arrivée"
    ),
    statement_ends=r"^\w{3,}(?:ais|ait|aient|ions|iez|erai|eras|erons|eront|irai|ira|irons)$(?<!lait)(?<!retrait)(?<!portrait)(?<!extrait)(?<!trait)(?<!anglais)(?<!francais)(?<!relais)(?<!palais)(?<!frais)(?<!balais)(?<!parfait)(?<!souhait)|^\w{3,}é$",
    others="rappelle à|rappelle a|rappelez à|rappelez a",
    and_words="et|et à|et a|&",
    selves="moi|à moi",
    first_lead="rappelle-moi",
    joints=(
        "de|d'|que|qu'|pour|à propos de|au sujet de|du|que je dois|de penser à|qu'il faut|à|a|au sujet du|des|sur"
        "|que j'ai|penser à|je dois|il faut|pour que je|quil faut|d|de le|de la|de l'|que c'est"
        "|que c'est l'heure de|que je|j'ai|à la|au|aux|avec|parce que|pcq|concernant|par rapport à|faire"
        "|qu'on doit|qu'on|que tu|pr|penser|de pas oublier de|de ne pas oublier de|encore de|encore|et|texte"
        "|intitulé|disant|que jdois|dire|que je doive|que je dois penser à|dois"
    ),
    befores="avant|après|apres",
    before_times="hier|avant-hier|il y a",
    behind_times="hier|passé|passée|dernier|dernière|jusqu'à|jusqu'au|jusqu'aux|jusque",
    alternatives="ou",
    titles="mme|mlle|mgr|mr",
    title_nouns="monsieur|madame|mademoiselle",
    days_small=True,
    doses=(
        "mg|mcg|µg|g|ml|cl|l|ui|u.i|unité|unités|goutte|gouttes|pilule|pilules|comprimé|comprimés|cachet"
        "|cachets|gélule|gélules|capsule|capsules|bouffée|bouffées|cuillère|cuillères|cuillerée|cuillerées"
        "|dose|doses|sachet|sachets|patch|patchs|ampoule|ampoules|injection|injections|piqûre|piqûres|verre"
        "|verres|vitamines|pastille|pastilles|milligrammes|grammes|%|kg|pulvérisations"
    ),
    count_articles="les",
    plurals="s|x",
    parts_said=(
        "le matin|le midi|le soir|la nuit|au matin|dans la soirée|dans la matinée|dans l après midi"
        "|l après midi|à midi|à minuit|en soirée|en matinée"
    ),
    part_nouns="soir|soirée|matinée|nuit",
    part_things="soirée|matinée",
    opens_end=(
        "jusqu à ce que|jusqu à ce|jusqu à la fin|jusqu au bout|jusqu à nouvel|tant que|jusqu à épuisement"
        "|jusqu à fin|jusqu à ce qu|jusqu à pâques|jusqu à noël|jusqu au nouvel an|jusqu aux vacances"
    ),
    hangers="pendant",
    opens_start=(
        "si j'ai mal|si ça fait mal|si douleur|en cas de douleur|en cas de fièvre|"
        "si besoin|au besoin|si nécessaire|en cas de besoin|en cas de douleur|si j'ai mal"
        "|à partir|à partir de|à partir du|à compter de|à compter du|dès que|en commençant|dès le"
    ),
    opens_exception="mais pas|sauf|sauf si|sauf quand|excepté|hormis|à moins que|mais seulement|sauf le",
    bounds=(
        "sans|pas|jamais|à l exception de|à l exception du|à l exception des|exception faite|hors|à part"
        "|à dater de|à dater du|débutant|débutant le|commençant|commençant le|depuis|depuis le|se terminant"
        "|se terminant le|finissant|excluant|en excluant|hormis"
    ),
    occasions=(
        "pâques|noël|nouvel an|vacances|jours fériés|fériés|férié|jour férié|été|hiver|printemps|automne"
        "|pentecôte|toussaint"
    ),
    danglers="pour|le|à|a|au|c'est|est|ce|dès|vers|du|de|prévu|prévue|prevu|à partir de|cest",
    asks_what=(
        "(qu'est ce que/qu'est-ce que/quest ce que/qu est ce que/kesque/keske/kes ke/qu'est ce qu'/quest ce qu/"
        "qu est ce qu/qu'est que/quesque/kesk) (j'ai/jai/il y a/y a/on a/je dois faire/je fais/j'ai de prévu/"
        "j'ai à faire/j'ai comme rdv/j'ai comme rappels/j'ai comme rappel/y'a/ya/nous avons/c'est/tu as pour moi/"
        "tas pour moi/ai) (de/au programme/comme/d'autre/à faire/a faire/en/de prévu/de prevu/)|(qu'est ce/"
        "qu'est-ce/quest ce/qu est ce) (qui/qu'il/qui m') (est prévu/est prevu/m'attend/attend/se passe/suit/y a/"
        "me reste/reste/vient/arrive) (de/)|(j'ai/jai/y a/ya/il y a/y'a/on a/nous avons/t'as/c) (quoi/koi/"
        "un truc/des trucs/qqch/quelque chose/quelquechose/qqchose/des rappels/des rdv/un rdv/des choses/"
        "des tâches/quelle chose/rien/qq chose/des plans) (de/comme/au/à/pour moi/)|(qu'ai/quai) je|(ai je/"
        "est ce que j'ai/est-ce que j'ai/esce que j'ai/est ce qu'il y a/est-ce qu'il y a) (quelque chose/qqch/"
        "un truc/des rappels/un rdv/des rdv/des choses/rien/des trucs) (de/à faire/)|(quels/quel/quelles) (sont/"
        "est) (mes/mon/le/les/ma) (rappels/programme/planning/rdv/plan/agenda/tâches/rendez vous)"
        "|(quels/quel) (rappels/rappel/rdv/rendez vous) (j'ai/ai je/est ce que j'ai/)"
        "|(c'est/cest/c) (quoi/koi) (le/mon/la/mes/les) (programme/planning/plan/rappels/agenda/rdv/suite)"
        "|(c'est/cest/c) (quoi/koi)|quoi (de/) (prévu/prevu/neuf/)|(mon/le/) (programme/planning) (de/du/pour/)"
        "|agenda (de/du/)|(qu'est ce que je/que/je) dois (je/) faire (quoi/)|je fais quoi"
        "|quelque chose (de prévu/de prevu/à faire/)|quelquechose|qqch (de prévu/de prevu/)"
        "|un truc (de prévu/de prevu/)|rien de prévu|(comment se présente/comment se presente/à quoi ressemble/"
        "a quoi ressemble/comment s'annonce) (ma/mon/la/le/)|des (rappels/trucs/rdv/plans)"
        "|combien de rappels j'ai|quoi|quels rappels|que se passe t il|il me reste quoi|il reste quoi"
        "|tas quoi pour moi|t'as quoi pour moi"
    ),
    shows=(
        "montre|montre moi|affiche|liste|donne moi|voir|affiche moi|lister|montrer|donne|fais voir|fais moi voir"
        "|dis moi|je veux voir"
        "|(montre/montrez/affiche/donne/liste/lis/fais voir/fais moi voir/sors/envoie) (moi/) (stp/)"
        "|je veux (voir/savoir)|je peux voir|voyons|(afficher/lister/montrer/consulter)"
        "|fais (moi/) (la liste/une liste/le point)"
    ),
    list_fillers=(
        "pour|le|la|les|mes|mon|ma|tous|toutes|tout|de|prévu|prevu|au programme|programme|à faire|a faire"
        "|en cours|rappels|rappel|agenda|liste|tâches|en|du|d|des|actifs|moi|à venir|comme rappels|comme|cette|ce"
        "|calendrier|planning|j'ai|je|quoi|a|à|au|aux|l|qu|que|ai|est|sur|dans|avec|rdv|rendez vous|plans|plan"
        "|trucs|choses|truc|de beau|de spécial|de special|encore|reste|journée|journee|enregistrés|enregistres"
        "|programmés|programmes|notés|notes|un|une|il y a|y a|on|déjà|quelque chose|la liste|ma liste|aujourd"
        "|comme rdv|spécial|à moi|s|toute|mise|comme rappel|en stock|jour|et"
    ),
    nouns="rappels|rappel|agenda|programme|liste|tâches|calendrier|planning|rapels|rdv|tâche|alertes",
    today=(
        "aujourd'hui|aujourdhui|auj|ce jour|ce soir|ajd|ma journée|ma journee|la journée|la journee|journée"
        "|journee|cet aprem|cet après midi|cet apres midi|ce matin|ce midi|aujourdui|aujourd hui"
        "|aujourd'hui encore|auj hui|le reste de la journée|aujourd'hui ou pas|aujourhui"
    ),
    tomorrow=(
        "demain|dmain|2main|demain matin|demain soir|demain aprem|demain après midi|demain apres midi|dem|demin"
        "|la journée de demain|demain midi"
    ),
    week=(
        "cette semaine|semaine|la semaine|les 7 prochains jours|les sept prochains jours|ma semaine|la sem"
        "|cette sem|les prochains jours|les jours à venir|les jours qui viennent|le reste de la semaine"
        "|dans la semaine|en semaine|ces jours ci|les 7 jours|sem"
    ),
    next_week=(
        "(la/ma/cette/) semaine (prochaine/pro/suivante/d'après/qui vient/qui arrive)|(la/) prochaine semaine"
        "|la sem prochaine|sem prochaine|sem pro"
    ),
    weekend="(ce/le/du/pour le/pour ce/ce prochain/le prochain/) (week end/weekend/we/wk) (prochain/qui vient/)",
    everything=(
        "tout|tous|toutes|tous les rappels|tous mes rappels|mes rappels|les rappels|rappels|chaque rappel"
        "|toutes les notifications|les notifications|l'ensemble|tout ça|tout ca|absolument tout|les notifs|notifs"
        "|toutes les notifs|mes notifs|tous les messages|les messages|toutes les alertes|les alertes"
        "|toutes mes alertes|la totalité|l'intégralité|ttes les notifs|tt|tous les rapels|mes alarmes"
        "|toutes les alarmes"
    ),
    moves=(
        "(déplace/deplace/déplacer/deplacer/déplaces/déplacez/décale/decale/décaler/decaler/décales/décalez/"
        "reporte/reporter/reportes/reportez/repousse/repousser/repousses/repoussez/avance/avancer/avances/recule/"
        "reculer/bouge/bouger/replanifie/replanifier/reprogramme/reprogrammer/retarde/retarder/decal/décal/"
        "repouse) (moi/nous/stp/)|change l'heure (de/du/de la/des)|change la date (de/du/de la/des)"
        "|changer l'heure (de/du/de la)"
    ),
    weak_moves="(change/changer/mets/met/mettre/passe/passer/remets/remet/remettre/bascule/place) (moi/stp/)",
    earlier_moves="(avance/avancer/avances) (moi/)",
    move_to=(
        "à|a|au|à la|a la|pour|jusqu'à|jusqu'au|jusque|au jour|pour le|sur|vers|aux|le|de…à|plutôt à|plutot a"
        "|plutôt le|plutôt au|en|dans|au lieu de ça à|a plus tard"
    ),
    weak_to="à|a|au|à la|pour|pour le|plutôt à|plutot a|plutôt au",
    move_by="de|d'|d|encore de|encore d'|pour|encore|environ|d'encore|de plus|de environ|d'environ",
    later="(plus tard/après/apres/de plus/en plus/de retard/+ tard)",
    earlier="(plus tôt/plus tot/avant/en avance/d'avance/en avant)",
    cancels=(
        "(annule/annuler/annulez/annules/anule/anuler/supprime/supprimer/supprimez/suprime/suprimer/supprimes/"
        "efface/effacer/effacez/enlève/enleve/enlever/enlevez/retire/retirer/retirez/oublie/oublier/vire/virer/"
        "dégage/degage/jette/raye/rayer/laisse tomber/abandonne/zappe) (moi/stp/)"
        "|(ne/) me (rappelle/rappelles/rappel/préviens) plus (de/d'/du/le/la/les/pour/à/)"
        "|(ne/) me (rappelle/rappelles) plus|rappelle moi plus|(arrête/arrete/arrêtes/arretes/"
        "stop) de me (rappeler/prévenir/parler/prevenir) (de/d'/du/le/la/les/pour/)|(plus/pas/je n'ai plus/"
        "j'ai plus/jai plus/plus la peine/j'ai pu/je nai plus) (besoin/la peine) (de/du/d'/des/de la/"
        "du rappel de/du rappel pour)|(plus/je n'ai plus/j'ai plus) besoin d'être prévenu (pour/de)"
        "|(je ne veux plus/je veux plus/jveux plus) (de/du/d'/des/le/la/les)"
        "|plus de (rappel/rappels) (pour/de/du/sur)"
        "|…(est annulé/est annule/est annulée/annulé/c'est annulé/tombe à l'eau)"
        "|(sors/enlève/enleve/retire)…de la liste"
    ),
    cancel_it=(
        "(annule/supprime/efface/enlève/enleve/retire) (le/la)|(supprime/efface/enlève/enleve/retire) (ça/ca/cela)"
        "|(annule/supprime/efface/enlève/enleve/retire) (ce/le/le dernier) rappel"
    ),
    move_it=("(déplace/deplace/décale/decale/reporte/repousse) (le/la/ça/ca)"),
    skip_it=("saute (le/la/ça/ca)"),
    sure_cancels="annule|annuler|supprime|supprimer|efface|effacer|annulez|supprimez",
    skips="saute|passe|sauter",
    skip_ends="une fois|cette fois|la prochaine fois",
    pauses=(
        "(mets/met/mettre/mettez/mettes/pose) (moi/)…(en pause/en sourdine/en veille/en silencieux/en attente/"
        "sur pause)|(mets/met/mettre/mettez) (en pause/en sourdine/en veille/sur pause/en silencieux)|(suspends/"
        "suspend/suspendre/suspendez/interromps/interrompt/coupe/couper/coupes/désactive/desactive/désactiver/"
        "desactiver/désactives/arrête/arrete/arrêter/arreter/arrêtes/stoppe/stopper/stop/bloque/gèle/gele/éteins/"
        "eteins/mute/muter/pause) (moi/stp/)|(fais/faire/faites/fait) (une/) pause (sur/avec/de/pour/dans)"
        "|pause (sur/pour/de)"
    ),
    weak_pauses=(
        "(tais toi/la ferme/ferme la/silence/chut/chutt/pause/reste silencieux/sois silencieux/sois discret/"
        "reste tranquille/plus un bruit/plus un mot)|(ne/) me (dérange/derange/rappelle/préviens/previens/envoie/"
        "parle/réveille/embête/saoule) (plus/pas/rien/plus rien) (rien/)"
        "|(laisse/laissez) moi (tranquille/en paix/dormir/souffler/respirer)"
        "|(laisse/laissez) moi…(tranquille/en paix)"
        "|(pas/plus/aucun/zéro/zero) de (rappels/rappel/notifs/notifications/messages/notif)"
        "|aucun (rappel/message)|aucune (notif/notification)|ne pas déranger|ne pas deranger"
        "|mode (silencieux/silence/avion)|(fais/fait) une pause|plus rien|stop (tout/)|arrête (tout/)"
        "|fous moi la paix|sourdine"
    ),
    resumes=(
        "(reprends/reprend/reprendre/reprenez/réactive/reactive/réactiver/reactiver/réactives/réactivez/relance/"
        "relancer/continue/continuer/active/activer/rallume/rallumer/redémarre/redemarre/rétablis/retablis/"
        "remets/remet/recommence/restaure/débloque/debloque/ré active/démute) (moi/avec/à me rappeler/stp/)"
        "|(remets/remet/remettre)…(en route/en marche/en service/en place/actif)"
        "|(enlève/enleve/retire/arrête/arrete) la pause (de/du/des/sur/pour)|(sors/sort)…de pause"
        "|(recommence/continue) à me (rappeler/prévenir) (de/d'/du/des/le/la/les/)"
    ),
    until=(
        "jusqu'à|jusqu'a|jusqu'au|jusque|jusqu'en|jusqua|jusqu|jusquau|jusqu'à ce|jusqu'au prochain|jusqu'à la"
        "|jusqu a|jusqu au|jusqu'aux|au moins jusqu'à|d'ici"
    ),
    for_length=(
        "pendant|pour|durant|les prochains|les prochaines|pendant les prochaines|pendant les prochains"
        "|pour les prochaines|pour les prochains|pdt|pr|une|un"
    ),
    from_now="dans",
    nows="maintenant|tout de suite",
    at_hour="à",
    articles=(
        "le|la|les|l'|mon|ma|mes|un|une|du|de|de la|des|d'|rappel|rappels|le rappel|pour|à propos de|sur|que|avec"
        "|rdv|rendez vous|ce|cet|cette|au sujet de|au sujet du|l|notre|nos|ces|ton|tes|au|aux|à|a|concernant"
        "|de l'|d|du rappel|le rappel de|le rappel du|le rappel pour|le rappel des|rappel de|rappel du"
        "|rappel pour|le rdv|le rdv de|le rdv du|le rdv avec|l'alarme de|l'alarme du|celui du|celui de|celle de"
        "|le truc de|le truc du|tout ce qui concerne|alerte|l'alerte|chez|qui concerne|d'aller|pour le|pour la"
        "|pour les|moi|le rendez vous|le rendez vous de"
    ),
    determiners="le|la|les|l|mon|ma|mes|notre|nos|ton|ta|tes|son|sa|ses|ce|cet|cette|ces",
    pronouns=(
        "le|la|les|ça|ca|cela|celui là|celle là|le dernier|moi|nous|toi|ce|celui ci|celui la|celle la|la dernière"
        "|la derniere|tout ça|rien|ceux là|lui"
    ),
    undos=(
        "(annule/annuler/annulez/annule le/défais/defais/défaire/defaire/undo/reviens/retour/retour arrière/"
        "retour en arrière/oups/oups annule/rétablis/retablis/ctrl z/revert/rollback/remets comme avant/"
        "remets comme c'était/remet comme avant/remets le/anule/annule moi) (ça/ca/cela/tout ça/)"
        "|(reviens/revenir/retourne/retour) (en/) (arrière/arriere)|(annule/annuler/défais/defais) (la/le/les/ma/"
        "ton/ta/) (dernière/derniere/dernier/derniers) (action/modification/modif/changement/truc/chose/étape/"
        "etape/commande/demande)|(je me suis/jme suis) (trompé/trompe/trompée)|(j'ai/jai) (changé/change) d'avis"
        "|fais (marche/machine) arrière|fais (marche/machine) arriere|en arrière|erreur"
    ),
    undo_fillers=(
        "ça|ca|cela|ce que tu viens de faire|ce que je viens de faire|ce que tu as fait|ce que j'ai fait|dernier"
        "|dernière|derniere|le|la|action|modif|modification|changement|stp|svp|non|attends|finalement|pardon"
        "|désolé|tout|de suite|tu peux|peux tu|truc|ce|oups|mince|zut|merde|en fait|comme avant|dernière action"
        "|derniere action|l|moi|vite|je me suis trompé|je me suis trompée|erreur|par erreur"
    ),
    helps=(
        "(aide/aidez/help/?/commandes/start/instructions/menu/options/fonctions/info/infos/tuto/tutoriel/guide/"
        "exemples/sos/à l'aide/a l'aide/au secours/mode d'emploi/aide moi/aidez moi/commande)|(que/qu'est ce que/"
        "qu'est-ce que/quest ce que/qu est ce que) (sais/peux/peut/tu sais/tu peux/tu fais/puis je/je peux/"
        "je peut/peux tu/sais tu/fais tu) (tu/) (faire/dire/demander/écrire/ecrire/) (pour moi/)"
        "|(tu/) (sais/peux/peut/fais/comprends) (faire/) (quoi/koi) (comme choses/pour moi/d'autre/exactement/)"
        "|(quoi/koi) (tu sais/tu peux) faire|(comment/coment/cmt) (ça/ca/cela/tu/ça se/on/t'/tu te) (marche/"
        "marches/fonctionne/fonctionnes/t'utilise/utilise/sers) (ça/ce bot/ici/)"
        "|(comment/coment) (je/j) (fais/t'utilise/utilise/l'utilise/crée un rappel/mets un rappel)"
        "|(comment/coment) (faire/t'utiliser/utiliser/créer un rappel/mettre un rappel/utiliser ce bot)"
        "|(j'ai/jai) besoin (d'aide/d'un coup de main)|(tu peux/peux tu/tu pourrais) (m'aider/maider)"
        "|(je/j) (ne/) (comprends/comprend/pige) (pas/rien)|(qui/t'es qui/tu es/t'es/c'est) (es tu/qui/quoi/)"
        "|(qui es tu/tu es qui/t'es qui/tes qui/c'est quoi ça/c'est quoi ce bot)"
        "|(quelles/quels) sont (tes/les) (commandes/fonctions/options/fonctionnalités)"
        "|(montre/donne) moi (l'aide/les commandes/ce que tu sais faire)|à quoi tu sers|a quoi tu sers"
        "|tu sers à quoi|tu sers a quoi|que faire|comment faire|explique moi"
    ),
    help_fillers=(
        "pour moi|ici|exactement|au juste|tout|donc|ça|ca|un peu|moi|stp|alors|avec toi|ce bot|bot|et|le|la"
        "|en fait|d'autre|comme choses|avec ça|hein"
    ),
    yes=(
        "oui|o|ouais|ok|okay|d'accord|c'est ça|c'est ca|exact|exactement|correct|bien sûr|bien sur|oui stp|vas y"
        "|parfait|juste|voilà"
    ),
    no="non|n|nan|pas du tout|non merci|annule|annuler|laisse|laisse tomber|aucun|aucune|faux|oublie|stop|rien",
)
