"""What duly says in French."""

from __future__ import annotations

from duly.language.spoken.form import ChatTexts, DateTexts, MessageTexts, NoticeTexts, Spoken

MESSAGES = MessageTexts(
    done="Fait",
    snooze="Dans {minutes} min",
    this_evening="Ce soir",
    tomorrow_morning="Demain matin",
    dismiss="Passer",
    answers="Répondre",
    is_it_done="C'est fait ?",
    is_coming="{ahead} : {text}",
    was_done="✓ Fait : {text}",
    was_snoozed="⏰ Je te le rappellerai {moment} : {text}",
    asks_again="⏰ Je redemanderai {moment} : {text}",
    was_dismissed="✗ Passé pour cette fois : {text}",
    was_done_by="✓ {name} l’a fait : {text}",
    was_dismissed_by="✗ {name} passe pour cette fois : {text}",
    is_over="Ce rappel est déjà terminé : {text}",
    asks_until="Je redemanderai jusqu'à ta réponse.",
    not_snoozed="Ce rappel ne peut pas être reporté et reste ouvert : {text}",
    in_quiet_hours="C'est pendant tes heures calmes : il arrivera {moment}.",
    in_quiet_hours_of="C'est pendant les heures calmes de {name} : il arrivera {moment}.",
    digest="{count} choses :",
    digest_today="Aujourd'hui, {count} choses :",
    in_digest="Il arrivera avec ton récapitulatif {moment}.",
    in_digest_of="Il arrivera avec le récapitulatif de {name} {moment}.",
    other_reading="Si tu voulais dire {moment}, écris-le ainsi.",
    paired="Bonjour {name} ! Tes rappels arriveront ici.",
    undelivered="Un rappel pour {name} n'a pas pu être remis : {text}",
    unanswered="{name} n'a pas répondu à un rappel : {text}",
    done_late="{name} a finalement répondu, c'est fait : {text}",
    dismissed_late="{name} a finalement répondu et laisse tomber pour cette fois : {text}",
    snoozed_late="{name} a finalement répondu et veut un rappel plus tard : {text}",
    unwilling="{name} a répondu « {words} » à un rappel, qui reste ouvert : {text}",
)

DATES = DateTexts(
    at="à {time}",
    today="aujourd'hui {at}",
    tomorrow="demain {at}",
    yesterday="hier {at}",
    on_weekday="{weekday} {at}",
    on_date="le {weekday} {day} {month} {at}",
    on_date_of_year="le {weekday} {day} {month} {year} {at}",
    minutes=("{n} minute", "{n} minutes"),
    hours=("{n} heure", "{n} heures"),
    days=("{n} jour", "{n} jours"),
    ahead="dans {length}",
    late="En retard de {length}",
)

CHAT = ChatTexts(
    reminds="⏰ Je te le rappellerai {moment} ({zone}) : {text}",
    reminds_often="⏰ Je te le rappellerai {rule}, la prochaine fois {moment} ({zone}) : {text}",
    reminds_people="⏰ Je le rappellerai à {names} {moment} ({zone}) : {text}",
    reminds_people_often="⏰ Je le rappellerai à {names} {rule}, la prochaine fois {moment} ({zone}) : {text}",
    only_yourself=(
        "Ici, je ne peux créer des rappels que pour toi. La personne qui gère duly peut en créer pour d'autres."
    ),
    unknown_person="Je ne connais personne du nom de « {name} », je n'ai donc rien créé.",
    comes_before="Et aussi {lengths} avant.",
    comes_after="Et de nouveau {length} après que c'est fait.",
    wants_answer="Je redemanderai jusqu'à ta réponse. Pour changer ça, écris « ne demande pas de réponse ».",
    is_important="Il est marqué comme important.",
    answers_always="D'accord, je demanderai une réponse à chaque rappel que tu crées ici.",
    answers_medicine="D'accord, je demanderai une réponse pour les médicaments, ou quand tu le dis.",
    answers_never="D'accord, je ne demanderai une réponse que si tu le dis.",
    asks_when="Quand dois-je te rappeler « {text} » ? Écris par exemple : « demain à 9h ».",
    asks_what=(
        "Que dois-je te rappeler {moment} ? Écris-le en une phrase : « rappelle-moi d'appeler la banque demain à 10h »."
    ),
    asks_which="Duquel parles-tu ?",
    asks_meaning="Que veux-tu dire ?",
    not_read="Je n'ai pas compris « {text} ».",
    why_past="« {text} » est déjà passé.",
    why_deadline="« {text} » dit avant quand, mais pas quand je dois te le rappeler.",
    why_doubtful="« {text} » peut vouloir dire deux choses.",
    why_impossible="Ce moment n'existe pas : « {text} ».",
    why_often="« {text} » ne dit pas exactement quand.",
    asks_done="Tu veux dire que « {text} », c'est fait ?",
    asks_skip="On laisse tomber « {text} » pour cette fois ?",
    asks_reading="De quelle heure parles-tu pour « {text} » ?",
    took_first="Si tu voulais dire {moment}, écris : « déplace {text} à … ».",
    offers="Dois-je te le rappeler {moment} ({zone}) : {text} ?",
    answer_number="Réponds avec le numéro.",
    yes="Oui",
    no="Non",
    nothing_done="D'accord, rien n'a changé.",
    question_over="Tu as déjà répondu à cette question. Redemande-moi si besoin.",
    today="Aujourd'hui",
    tomorrow="Demain",
    week="Les 7 prochains jours",
    next_week="La semaine prochaine",
    weekend="Le week-end",
    all="Tes rappels",
    list_none="{span} : rien.",
    list_head="{span} ({zone}) :",
    list_line="• {first} : {second}",
    more="… et {count} de plus",
    paused_word="en pause",
    paused_next="en pause, la prochaine fois {moment}",
    put_off="{moment}, repoussé",
    waits="attend ta réponse",
    moved="✓ Déplacé, il vient maintenant {moment} ({zone}) : {text}",
    moved_often="✓ Déplacé, il vient maintenant {rule}, la prochaine fois {moment} ({zone}) : {text}",
    moves_series=(
        "« {text} » revient régulièrement ({rule}). Dis-moi la nouvelle règle, par exemple : « déplace "
        "{text} à tous les jours à 9h »."
    ),
    removed="✗ Supprimé : {text}",
    removes_one=("Je supprime un seul rappel à la fois : dis-moi lequel. « mets tout en pause » les fait tous taire."),
    skipped="⏭ Sauté {moment} ({zone}) : {text}",
    skips_next="Je ne peux sauter que la prochaine fois, {moment} : {text}",
    paused="⏸ En pause : {text}",
    paused_all=("⏸ {n} rappel est en pause.", "⏸ {n} rappels sont en pause."),
    goes_on="Ça reprend {moment} ({zone}).",
    resumed="▶ De nouveau actif, la prochaine fois {moment} ({zone}) : {text}",
    resumed_all=("▶ {n} rappel est de nouveau actif.", "▶ {n} rappels sont de nouveau actifs."),
    none_paused="Rien n'est en pause.",
    none_before="Rien ne vient d'ici là, donc rien n'a été mis en pause.",
    say_undo="Avec « annule ça », tu reviens en arrière.",
    undone="↩ Annulé : {text}",
    nothing_to_undo="Il n'y a rien à annuler : je ne retiens les changements que pendant une heure.",
    not_undone="Ça ne peut plus être annulé, car ça a changé depuis.",
    not_found="Je ne trouve aucun rappel sur « {target} ».",
    nearest="Le plus proche : {text}",
    none_yet="Tu n'as pas encore de rappels.",
    not_understood="Désolé, je n'ai pas compris.",
    courtesy="🙂 « aide » montre ce que je comprends.",
    only_text="Je ne sais lire que du texte. Écris-moi, s'il te plaît, ce que tu veux dire.",
    understood_time="J'ai compris l'heure ({moment}), mais pas ce qu'il faut faire.",
    example=(
        "Écris par exemple : « rappelle-moi d'appeler la banque demain à 10h ». « aide » montre ce que je "
        "comprends d'autre."
    ),
    help=(
        "Tu peux m'écrire comme ça :\n"
        "• « rappelle-moi d'appeler la banque demain à 10h »\n"
        "• « rappelle-moi tous les jours à 8h de prendre mes vitamines »\n"
        "• « qu'est-ce que j'ai aujourd'hui ? », « qu'est-ce que j'ai cette semaine ? »\n"
        "• « déplace le dentiste à vendredi 9h »\n"
        "• « supprime le dentiste »\n"
        "• « mets tout en pause jusqu'à lundi », « reprends tout »\n"
        "• « annule ça »\n"
        "À un rappel tu peux répondre « fait », « dans 10 minutes » ou « laisse tomber »."
    ),
    no_button="Ce bouton n'appartient plus à aucun de tes rappels.",
    stranger=(
        "Je ne connais pas encore cette conversation. Demande un code à la personne qui s'occupe de duly et "
        "envoie-le-moi ici."
    ),
    chat_taken="Cette discussion appartient déjà à une autre personne.",
    time_passed="Cette heure est déjà passée. Donne-moi une heure plus tardive.",
    snooze_too_far="Je peux le repousser de {days} jours au plus. Donne-moi une heure plus proche.",
    too_many="Tu as déjà autant de rappels que possible. Supprimes-en un d'abord.",
    too_often="C'est trop souvent. L'intervalle le plus court : {length}.",
    too_long="C'est trop long pour un rappel. Dis-le en moins de mots.",
    went_wrong="Ça n'a pas marché et rien n'a changé. Réessaie plus tard.",
)

NOTICES = NoticeTexts(
    failed="✗ {name} a échoué {moment} : {reason}",
    failed_often="✗ {name} a échoué {moment}, {count} fois de suite : {reason}",
    failed_and_works="✗ {name} a échoué {moment} et fonctionne de nouveau : {reason}",
    failed_many="✗ {count} planifications ont échoué : {reason}",
    works="✓ {name} fonctionne de nouveau.",
    works_many="✓ {count} planifications fonctionnent de nouveau : {names}",
    next_attempt="Prochaine tentative {moment}.",
    no_next_attempt="Aucune autre tentative n'est prévue.",
    no_reason="raison inconnue",
    no_answer="L'exécution s'est terminée sans réponse.",
    and_more="et {count} autres",
    shortened="… encore {count} caractères",
    cost="Coût : {cost}",
    session="Session : {session}",
    agent_silent="l'agent n'a pas répondu",
    limit_until="l'agent a atteint sa limite d'utilisation, il reprend {moment}",
    limit_reached="l'agent a atteint sa limite d'utilisation et ne dit pas jusqu'à quand",
    not_taken="{host} n'a pas accepté ce message, il est donc ici.",
)

SPOKEN = Spoken(messages=MESSAGES, dates=DATES, chat=CHAT, notices=NOTICES)
