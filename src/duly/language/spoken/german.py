"""What duly says in German."""

from __future__ import annotations

from duly.language.spoken.form import ChatTexts, DateTexts, MessageTexts, NoticeTexts, Spoken

MESSAGES = MessageTexts(
    done="Erledigt",
    snooze="In {minutes} Min.",
    this_evening="Heute Abend",
    tomorrow_morning="Morgen früh",
    dismiss="Auslassen",
    answers="Antworten",
    is_it_done="Ist es erledigt?",
    is_coming="{ahead}: {text}",
    was_done="✓ Erledigt: {text}",
    was_snoozed="⏰ Ich erinnere dich {moment}: {text}",
    asks_again="⏰ Ich frage {moment} noch einmal nach: {text}",
    was_dismissed="✗ Diesmal ausgelassen: {text}",
    was_done_by="✓ {name} hat es erledigt: {text}",
    was_dismissed_by="✗ {name} lässt es diesmal aus: {text}",
    is_over="Diese Erinnerung ist schon vorbei: {text}",
    asks_until="Ich frage nach, bis du antwortest.",
    not_snoozed="Diese Erinnerung lässt sich nicht verschieben und bleibt offen: {text}",
    in_quiet_hours="Das liegt in deiner Ruhezeit, sie kommt {moment}.",
    in_quiet_hours_of="Das liegt in der Ruhezeit von {name}, sie kommt {moment}.",
    digest="{count} Dinge:",
    digest_today="Heute {count} Dinge:",
    in_digest="Sie kommt mit deiner Übersicht {moment}.",
    in_digest_of="Sie kommt mit der Übersicht von {name} {moment}.",
    other_reading="Falls du {moment} gemeint hast, schreib es so.",
    paired="Hallo {name}! Deine Erinnerungen kommen ab jetzt hier an.",
    undelivered="Eine Erinnerung für {name} ließ sich nicht zustellen: {text}",
    unanswered="{name} hat auf eine Erinnerung nicht geantwortet: {text}",
    done_late="{name} hat doch noch geantwortet, es ist erledigt: {text}",
    dismissed_late="{name} hat doch noch geantwortet und lässt es diesmal aus: {text}",
    snoozed_late="{name} hat doch noch geantwortet und möchte später erinnert werden: {text}",
    unwilling="{name} hat auf eine Erinnerung „{words}“ geantwortet, sie bleibt offen: {text}",
)

DATES = DateTexts(
    at="um {time}",
    today="heute {at}",
    tomorrow="morgen {at}",
    yesterday="gestern {at}",
    on_weekday="am {weekday} {at}",
    on_date="am {weekday}, den {day} {month} {at}",
    on_date_of_year="am {weekday}, den {day} {month} {year} {at}",
    minutes=("{n} Minute", "{n} Minuten"),
    hours=("{n} Stunde", "{n} Stunden"),
    days=("{n} Tag", "{n} Tage"),
    ahead="in {length}",
    days_ahead=("{n} Tag", "{n} Tagen"),
    late="Verspätet um {length}",
)

CHAT = ChatTexts(
    reminds="⏰ Ich erinnere dich {moment} ({zone}): {text}",
    reminds_often="⏰ Ich erinnere dich {rule}, das nächste Mal {moment} ({zone}): {text}",
    reminds_people="⏰ Ich erinnere {names} {moment} ({zone}): {text}",
    reminds_people_often="⏰ Ich erinnere {names} {rule}, das nächste Mal {moment} ({zone}): {text}",
    only_yourself=(
        "Hier kann ich dich erinnern, aber niemanden sonst. Wer duly betreibt, kann Erinnerungen für andere anlegen."
    ),
    unknown_person="Ich kenne keine Person namens „{name}“, also habe ich keine Erinnerung angelegt.",
    comes_before="Auch {lengths} vorher.",
    comes_after="Ist sie erledigt, kommt sie {length} später wieder.",
    wants_answer="Ich frage nach, bis du antwortest. Mit „frag nie nach“ änderst du das.",
    is_important="Sie ist als wichtig markiert.",
    answers_always="Gut, ich frage ab jetzt bei jeder Erinnerung nach, die du hier anlegst.",
    answers_medicine="Gut, ich frage bei Medizin nach, und wenn du es dazusagst.",
    answers_never="Gut, ich frage nur nach, wenn du es dazusagst.",
    asks_when="Wann soll ich dich an „{text}“ erinnern? Schreib zum Beispiel: „morgen um 9“.",
    asks_what=(
        "Woran soll ich dich {moment} erinnern? Schreib es in einem Satz: „erinnere mich morgen um 10 an den Zahnarzt“."
    ),
    asks_which="Welche meinst du?",
    asks_meaning="Was meinst du?",
    not_read="„{text}“ habe ich nicht verstanden.",
    why_past="„{text}“ ist schon vorbei.",
    why_deadline="„{text}“ sagt, bis wann, aber nicht, wann ich dich erinnern soll.",
    why_doubtful="„{text}“ kann zweierlei heißen.",
    why_impossible="Diese Zeit gibt es nicht: „{text}“.",
    why_often="„{text}“ sagt nicht genau, wann.",
    asks_done="Heißt das, „{text}“ ist erledigt?",
    asks_skip="Soll ich „{text}“ diesmal auslassen?",
    asks_reading="Welche Zeit meinst du für „{text}“?",
    took_first="Falls du {moment} meinst, schreib: „verschieb {text} auf …“.",
    offers="Soll ich dich {moment} ({zone}) daran erinnern: {text}?",
    answer_number="Antworte mit der Nummer.",
    yes="Ja",
    no="Nein",
    nothing_done="Gut, es bleibt alles, wie es war.",
    question_over="Diese Frage ist schon beantwortet. Frag einfach noch einmal.",
    today="Heute",
    tomorrow="Morgen",
    week="Die nächsten 7 Tage",
    next_week="Nächste Woche",
    weekend="Das Wochenende",
    all="Deine Erinnerungen",
    list_none="{span}: nichts.",
    list_head="{span} ({zone}):",
    list_line="• {first}: {second}",
    more="… und {count} weitere",
    paused_word="pausiert",
    paused_next="pausiert, das nächste Mal {moment}",
    put_off="{moment}, aufgeschoben",
    waits="wartet auf deine Antwort",
    moved="✓ Verschoben, sie kommt jetzt {moment} ({zone}): {text}",
    moved_often="✓ Verschoben, sie kommt jetzt {rule}, das nächste Mal {moment} ({zone}): {text}",
    moves_series=(
        "„{text}“ kommt immer wieder ({rule}). Sag mir die neue Regel, zum Beispiel: „verschieb {text} auf "
        "jeden Tag um 9“."
    ),
    removed="✗ Gelöscht: {text}",
    removes_one="Ich lösche immer nur eine Erinnerung: sag mir, welche. „pausiere alles“ lässt alle ruhen.",
    skipped="⏭ Fällt {moment} aus ({zone}): {text}",
    skips_next="Ich kann nur das nächste Mal auslassen, {moment}: {text}",
    paused="⏸ Pausiert: {text}",
    paused_all=("⏸ {n} Erinnerung ist pausiert.", "⏸ {n} Erinnerungen sind pausiert."),
    goes_on="Weiter geht es {moment} ({zone}).",
    resumed="▶ Läuft wieder, das nächste Mal {moment} ({zone}): {text}",
    resumed_all=("▶ {n} Erinnerung läuft wieder.", "▶ {n} Erinnerungen laufen wieder."),
    none_paused="Es ist nichts pausiert.",
    none_before="Bis dahin kommt nichts, also wurde nichts pausiert.",
    say_undo="Mit „rückgängig“ nimmst du es zurück.",
    undone="↩ Zurückgenommen: {text}",
    nothing_to_undo="Es gibt nichts zurückzunehmen: ich merke mir Änderungen nur eine Stunde lang.",
    not_undone="Das lässt sich nicht mehr zurücknehmen, weil es sich inzwischen geändert hat.",
    not_found="Ich finde keine Erinnerung zu „{target}“.",
    nearest="Am nächsten kommt: {text}",
    none_yet="Du hast noch keine Erinnerungen.",
    not_understood="Das habe ich leider nicht verstanden.",
    courtesy="🙂 „Hilfe“ zeigt, was ich verstehe.",
    only_text="Ich kann nur Text lesen. Schreib mir bitte, was du sagen möchtest.",
    understood_time="Die Zeit habe ich verstanden ({moment}), aber nicht, was dann sein soll.",
    example=(
        "Schreib zum Beispiel: „erinnere mich morgen um 10 an den Zahnarzt“. „Hilfe“ zeigt, was ich sonst verstehe."
    ),
    help=(
        "Du kannst mir so schreiben:\n"
        "• „erinnere mich morgen um 10 an den Zahnarzt“\n"
        "• „erinnere mich jeden Tag um 8 an die Vitamine“\n"
        "• „was steht heute an?“, „was steht diese Woche an?“\n"
        "• „verschieb den Zahnarzt auf Freitag um 9“\n"
        "• „lösch den Zahnarzt“\n"
        "• „pausiere alles bis Montag“, „aktiviere alles“\n"
        "• „rückgängig“\n"
        "Auf eine Erinnerung kannst du „erledigt“, „in 10 Minuten“ oder „lass es“ antworten."
    ),
    no_button="Dieser Knopf gehört zu keiner deiner Erinnerungen mehr.",
    stranger=(
        "Ich kenne diesen Chat noch nicht. Lass dir von der Person, die duly betreibt, einen Code geben, und schick "
        "ihn mir hier."
    ),
    chat_taken="Dieser Chat gehört schon einer anderen Person.",
    time_passed="Diese Zeit ist schon vorbei. Nenn mir eine spätere.",
    snooze_too_far="Ich kann sie höchstens {days} Tage aufschieben. Nenn mir eine frühere Zeit.",
    too_many="Mehr Erinnerungen darfst du nicht haben. Lösch zuerst eine.",
    too_often="Das ist zu oft. Der kürzeste Abstand beträgt {length}.",
    too_long="Das ist zu lang für eine Erinnerung. Sag es kürzer.",
    went_wrong="Das hat nicht geklappt, und nichts wurde geändert. Versuch es bitte später noch einmal.",
)

NOTICES = NoticeTexts(
    failed="✗ {name} ist {moment} fehlgeschlagen: {reason}",
    failed_often="✗ {name} ist {moment} zum {count}. Mal in Folge fehlgeschlagen: {reason}",
    failed_and_works="✗ {name} ist {moment} fehlgeschlagen und läuft wieder: {reason}",
    failed_many="✗ {count} Zeitpläne sind fehlgeschlagen: {reason}",
    works="✓ {name} läuft wieder.",
    works_many="✓ {count} Zeitpläne laufen wieder: {names}",
    next_attempt="Nächster Versuch {moment}.",
    no_next_attempt="Ein weiterer Versuch ist nicht geplant.",
    no_reason="kein Grund bekannt",
    no_answer="Der Lauf endete ohne Antwort.",
    and_more="und {count} weitere",
    shortened="… noch {count} Zeichen",
    cost="Kosten: {cost}",
    session="Sitzung: {session}",
    agent_silent="der Agent hat nicht geantwortet",
    limit_until="das Nutzungslimit des Agenten ist erreicht, er arbeitet {moment} wieder",
    limit_reached="das Nutzungslimit des Agenten ist erreicht, und er sagt nicht, wie lange noch",
    not_taken="{host} hat diese Nachricht nicht angenommen, deshalb steht sie hier.",
)

SPOKEN = Spoken(messages=MESSAGES, dates=DATES, chat=CHAT, notices=NOTICES)
