"""How people ask in French."""

from __future__ import annotations

from duly.language.requests.form import RequestWords

WORDS = RequestWords(
    courtesies=(
        "s'il te plaît|s'il te plait|stp|svp|s'il vous plaît|s'il vous plait|merci|merci beaucoup|salut|bonjour|hey"
        "|coucou|ok|alors|dis|duly|hé|eh|maintenant|bonsoir|d'accord|bon|sil te plait|merci d'avance|oui|allez|mrc"
        "|slt|bjr|donc"
    ),
    askings=(
        "peux tu|tu peux|pourrais tu|tu pourrais|est ce que tu peux|est-ce que tu pourrais|pouvez vous|vous pouvez"
        "|peut tu|j'aimerais que tu|je voudrais que tu|je veux que tu|tu veux bien|veux tu|pourriez vous|tu peut"
        "|est ce que tu peut"
    ),
    leads=(
        "rappelle moi|rappelles moi|rappel moi|rapelle moi|rapel moi|rappelez moi|me rappeler|me rappelles"
        "|me rappelle|rappel|un rappel|mets un rappel|mets moi un rappel|ajoute un rappel|crée un rappel"
        "|crée moi un rappel|cree un rappel|fais moi un rappel|fais moi penser|fais moi penser à|préviens moi"
        "|previens moi|nouveau rappel|programme un rappel|me rappeles|rapele moi|fait moi penser|fait moi penser à"
        "|avertis moi|me prévenir|me faire penser|ne me laisse pas oublier|mets un rappel pour|fais un rappel"
        "|rappele moi|met un rappel|met moi un rappel|tu me rappelles"
    ),
    joints=(
        "de|d'|que|qu'|pour|à propos de|au sujet de|du|que je dois|de penser à|qu'il faut|à|a|au sujet du|des|sur"
        "|que j'ai|penser à|je dois|il faut|pour que je|quil faut|le rdv"
    ),
    befores="avant|après|apres",
    danglers="pour",
    asks_what=(
        "qu'est ce que j'ai|qu'est-ce que j'ai|quest ce que jai|qu'est ce qu'il y a|qu'est-ce qu'il y a|qu'ai je"
        "|j'ai quoi|jai quoi|y a quoi|il y a quoi|qu'est ce qui est prévu|qu'est-ce qui est prévu|quoi de prévu"
        "|qu'est ce qui m'attend|ai je quelque chose|j'ai quelque chose|quels rappels|quels sont mes rappels"
        "|quels rappels j'ai|qu'est ce que je dois faire|c'est quoi le programme|quel est le programme"
        "|quest ce qu'il y a|qu'est ce qu'y a|quoi|mon programme|est ce que j'ai quelque chose"
        "|est-ce que j'ai quelque chose|j'ai des rappels|ai je des rappels|agenda|kes ke j'ai|j'ai quoi de prévu"
        "|jai quoi de prevu|qu'est ce qui suit|quel est mon programme|quest ce que j'ai|qu'est ce que jai"
    ),
    shows=(
        "montre|montre moi|affiche|liste|donne moi|voir|affiche moi|lister|montrer|donne|fais voir|fais moi voir"
        "|dis moi|je veux voir"
    ),
    list_fillers=(
        "pour|le|la|les|mes|mon|ma|tous|toutes|tout|de|prévu|prevu|au programme|programme|à faire|a faire|en cours"
        "|rappels|rappel|agenda|liste|tâches|en|du|d|des|actifs|moi|à venir|comme rappels|comme|cette|ce|calendrier"
        "|planning|j'ai|je|quoi"
    ),
    nouns="rappels|rappel|agenda|programme|liste|tâches|calendrier|planning",
    today="aujourd'hui|aujourdhui|auj|ce jour|ce soir|ajd",
    tomorrow="demain|dmain|2main",
    week="cette semaine|semaine|la semaine|les 7 prochains jours|les sept prochains jours",
    everything=(
        "tout|tous|toutes|tous les rappels|tous mes rappels|mes rappels|les rappels|rappels|chaque rappel"
        "|toutes les notifications|les notifications|l'ensemble"
    ),
    moves=(
        "déplace|deplace|déplacer|décale|decale|décaler|reporte|reporter|repousse|repousser|change|changer|mets"
        "|passe|avance|bouge|replanifie|reprogramme|deplacer|decaler|met|remets|recule|déplace moi|decale moi"
        "|décale moi"
    ),
    move_to="à|a|au|à la|a la|pour|jusqu'à|jusqu'au|jusque|au jour|pour le|sur|vers",
    cancels=(
        "annule|annuler|annulez|supprime|supprimer|efface|effacer|enlève|enleve|enlever|retire|retirer|oublie|vire"
        "|ne me rappelle plus|arrête de me rappeler|arrete de me rappeler|supprimez|me rappelle plus"
        "|rappelle moi plus"
    ),
    pauses=(
        "mets en pause|mets…en pause|met…en pause|mettre…en pause|met en pause|pause|suspends|suspend|suspendre"
        "|coupe|arrête|arrete|arrêter|stoppe|silence|mets sur pause|désactive|desactive"
    ),
    resumes=(
        "reprends|reprend|reprendre|réactive|reactive|réactiver|relance|relancer|continue|continuer|active|activer"
        "|remets en marche|remets…en marche|remets|redémarre|redemarre|relance moi|remet|remet en marche"
        "|enlève la pause de"
    ),
    until="jusqu'à|jusqu'a|jusqu'au|jusque|jusqu'en|jusqua|jusqu|jusquau|jusqu'à ce",
    for_length="pendant|pour|durant|les prochains|les prochaines",
    from_now="dans",
    at_hour="à",
    articles=(
        "le|la|les|l'|mon|ma|mes|un|une|du|de|de la|des|d'|rappel|rappels|le rappel|pour|à propos de|sur|que|avec"
        "|rdv|rendez vous|ce|cet|cette|au sujet de|au sujet du|l"
    ),
    pronouns="le|la|les|ça|ca|cela|celui là|celle là|le dernier",
    undos=(
        "annuler la dernière action|défaire|defaire|défais|defais|undo|reviens en arrière|reviens en arriere|retour"
        "|oups|annule ça|annule ca|défais ça|defais ca|annule la dernière action|annule la derniere action|reviens"
        "|retour en arrière|retour en arriere|annule le dernier|annule la dernière|annule la derniere"
        "|annuler la derniere action|défaire ça|annule cela"
    ),
    helps=(
        "aide|aide moi|help|?|que peux tu faire|que sais tu faire|qu'est ce que tu peux faire"
        "|qu'est-ce que tu sais faire|comment ça marche|comment ca marche|commandes|que puis je dire|à l'aide"
        "|j'ai besoin d'aide|start|instructions|tu sais faire quoi|tu peux faire quoi|que puis je faire"
        "|mode d'emploi|menu|comment tu marches|aidez moi|tu fais quoi"
    ),
    yes=(
        "oui|o|ouais|ok|okay|d'accord|c'est ça|c'est ca|exact|exactement|correct|bien sûr|bien sur|oui stp|vas y"
        "|parfait|juste|voilà"
    ),
    no="non|n|nan|pas du tout|non merci|annule|annuler|laisse|laisse tomber|aucun|aucune|faux|oublie|stop|rien",
)
