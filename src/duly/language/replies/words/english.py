"""How people answer a reminder in English."""

from __future__ import annotations

from duly.language.atoms import Unit
from duly.language.replies.form import ReplyRole, ReplyWords

_MACROS = {
    "did": (
        "took|did|drank|ate|finished|completed|called|paid|sent|bought|fed|watered|cleaned|washed|booked"
        "|submitted|checked|handled|sorted|fixed|swallowed|made|walked|ordered|locked|closed|emptied|mailed|gulped|popped"
    ),
    "done": (
        "taken|done|had|drunk|eaten|finished|completed|called|paid|sent|bought|fed|watered|cleaned|washed|booked"
        "|submitted|checked|handled|sorted|fixed|swallowed|made|walked|ordered|locked|closed|emptied"
    ),
    "bare": "taken|done|finished|completed|complete|paid|sent|booked|submitted|handled|sorted|fixed|ordered|checked",
    "medicine": "pill|pills|medicine|medicines|medication|meds|med|tablet|tablets|vitamin|vitamins|dose|drops|water",
    "thing": (
        "it|that|this|them|em|those|these|mine|everything|all [of] (it|them)|him|her|both|both of (it|them)"
        "|{both} {medicine}"
    ),
    "both": "my|the|both|all my|all the|both my|the last",
    "have": "i have|i've|we have|we've|have|it has been|has been|it's been",
    "be": "i'm|i am|we're|we are|{itis}|am|is",
    "itis": "it's|it is|that's|that is|this is|everything is|everything's|they're",
    "just": "just|literally just|just now|now|recently|finally",
    "already": "already|long since",
    "lately": "just now|this morning|earlier|earlier today|last night|a while ago|a moment ago|some time ago|ages ago",
    "meal": "(with|w|at|after) [my|some|a|the] (coffee|tea|breakfast|lunch|dinner|water|food|juice|milk)",
    "today": "today|tonight|this time|for today|for now|just this once|this once",
    "place": (
        "at (work|school|the gym|the office|lunch|dinner|the doctor|the doctors|the shops)"
        "|in (bed|the shower|class|a call)"
        "|in the (car|bus|bath|office|middle of something)|on the (train|bus|road|phone|go|way)|not home"
        "|not at home|out|outside|away"
    ),
    "reminder": (
        "it|this|that|them|this one|that one|[the|this|that|my|your] (reminder|reminders|alarm)"
        "|(today's|todays|tonight's|this|that) (one|dose|{medicine})"
    ),
    "again": "again|once more|one more time|please|pls",
    "bit": "a bit|a little|little|a little bit|much|maybe|perhaps|until|sometime",
    "about": "about|around|another|maybe|like|at least|approximately",
    "when": "in [{about}] <duration>|[for|after|by] [{about}] <duration>|<duration> from now|<time>",
    "soon": (
        "later|{bit} later|later on|later today|soon|in a [little] (bit|while|moment|sec|second|few)|right away|shortly"
    ),
    "now": "now|right now|rn|at the moment|just now|atm",
    "will": "i'll|i will|we'll|we will|i'm going to|i am going to|gonna|i'm gonna|will|going to|let me",
    "act": "do|take|finish|get to|drink|eat|call|pay|complete|handle",
    "hasnt": (
        "haven't|have not|not|didn't|did not|hasn't|i'm not|i am not|it's not|i'm still not|still not"
        "|still haven't|still didn't"
    ),
    "nudge": "remind|ask|ping|notify|nudge|message|tell|call|wake|alert",
    "give": "give me|gimme|gimmie",
    "could": "can you|could you|would you|will you|can you please|could you please|would you please",
    "assent": "yes|yeah|yea|ya|ye|yep|yup|ok|okay|sure|sure thing|right",
    "gush": "sure|right|great|perfect|excellent|fine|cool|super|of course|absolutely|definitely|certainly",
    "drop": "cancel|stop|skip|dismiss|forget|ignore|drop|delete|remove|abort|quit|end|discard",
}
_PHRASES = {
    ReplyRole.YES: """
yes|yep|yeah|yup|yea|ye|ya|yas|yessir|aye|sure|sure thing|of course|ofc|absolutely|definitely|certainly|correct
affirmative|you bet
alright|all right|right|fine|confirmed|confirm|ack|acknowledged|acknowledge|all good|that's fine|it's fine|it's ok
yes already|okey dokey|okie dokie|oki doki|alrighty|y|check|yes (i did|i have|we did|we have|indeed|sir)""",
    ReplyRole.HEARD: """
got it|gotcha|[duly] noted|understood|i understand|received|copy that|roger that
[that|this|it] sounds (good|great|fine)|good|great|cool|excellent|very well|very good|nice|awesome|wonderful""",
    ReplyRole.DONE: """
[all|and|now] {bare} [now|all|for today|with (it|that|{both} {medicine})]
{did} {thing} [now|all|too|as well|today|on time|both]|done (it|that|this)|(i|we) have
[{be}] [all|now|finally] (done|finished|completed|complete|taken|sorted|handled|paid|sent) [now|with (it|that)]
{be} taken care of|taken care of [it]|took care of (it|that)|all set|job done|[all] done and dusted
task (done|completed|complete)
mission accomplished
had (it|them|{both} {medicine}) [now|today]
({both}|[2|two|one|1]) {medicine} (taken|done)
marked [it|this] [as] done|mark [it|this] [as] (done|complete|completed|taken)""",
    ReplyRole.ALREADY: """
[yes] [i|we] sure did
[yes] (i|we) [{just}|{already}] (did|{did} {thing}|{did}) [{already}|now|today|all|too|this morning]
[yes] (i|we) [{just}|{already}] (had {both} {medicine}|had (it|them)) [{already}|now|today|all|too|this morning]
{have} [{just}|{already}] {done} [{thing}] [{already}|now|today|this morning]
{already} (did|have|{did} {thing}|{did}|{done}|{done} {thing}) [{already}|{lately}|today]
{just} (did|{did} {thing}|{done} [{thing}]|{did}) [now|{already}]
{did} {thing} {already}|{bare} {already}|{did} {already}
{be} [all] {already} (done|finished|taken|completed|sorted|handled|paid|sent)
{itis} [all] (done|finished|taken|completed|sorted|handled|paid|sent) [now]
(i|we) [{just}|{already}] {did} [{thing}] [{about}] <duration> ago
(i|we) had (it|them|{both} {medicine}) [{about}] <duration> ago
{did} [{thing}] [{about}] <duration> ago|{bare} [{about}] <duration> ago
had (it|them|{both} {medicine}) <duration> ago|[yes] [i|we] {did} {thing} [already] at <number> [am|pm|o'clock]
[i|we] {did} {thing} ({lately}|{meal})|{bare} {lately}""",
    ReplyRole.NO: "no|nope|nah|naw|nay|negative|no way",
    ReplyRole.DROP: """
[just|can you|could you|you can] {drop} [{reminder}] [please|today|this time|for today|now]|no reminder needed
(leave it|leave it out|give it a miss|let's not) [{today}]
(forget|forget about) (it|that|this)|let it go|let it be|leave (it|this|that|me alone)
stop (reminding|asking|bothering|nagging|messaging) [me] [about (it|this|that)]
turn (it|this|that) off|turn off [{reminder}]|switch it off|call it off|enough|that's enough|go away|shut up
no [more] need [to|to remind me [again]|for (it|this|that)] [anymore|any more|today]
no longer (needed|necessary|need (it|this|that))
unnecessary|let's skip [it|this]|close [it|this]
no more [please|reminders]|(dismissed|cancelled|canceled) [it|this]
not (needed|necessary|required|anymore) [today|anymore|any more]
it's not (needed|necessary)
never mind|nevermind|nvm|don't bother [me]|don't remind me [again|anymore|any more|today]|don't worry about it
[i] (don't|do not) need (it|this|that|to|to be reminded|them|{reminder}) [anymore|any more|today|now]""",
    ReplyRole.REFUSE: """
not (interested|today|this time|wanted|tonight)|pass|i pass|i'll pass|(i'll|i will) skip [it|this|today]
[i'm|i am] (skipping|dropping|leaving out|passing on) [{reminder}] [{today}]
not (taking|doing|having) {reminder} {today}
(i'll|i will) (skip|drop|leave out|pass on) {reminder} [{today}]|[i'll] give (it|this one) a miss [{today}]
[i'm] sitting this one out
[i] (don't|do not) want (it|this|that|to|them) [anymore|any more|today]
[i] (won't|will not) (do|take) (it|this|that|them) [today]|i won't|not doing it|not taking it""",
    ReplyRole.LATER: """
{soon}|not {now}|not for now|not yet|not just yet|not quite yet|not quite|another time|some other time
maybe [{soon}|{when}] later|after a while
[{be}] [still|too|a bit|very|really|kinda|so|pretty|currently] busy [{now}]|[i] (can't|cannot|can not) {now}
(can't|cannot) do it {now}|(no time|don't have time|i don't have time) [{now}]|in a meeting|i'm in a meeting
i'm driving|driving|l 8 r|l 8 er|laters|lemme finish|[{be}] [still|currently] {place} [{now}]
[{be}] [still] (eating|cooking|sleeping|working|showering|asleep) [{now}]|(when|once) (i'm|i am|i get) (home|back|there)
[i] (haven't|didn't|have not) (had|have|get|got|found) [any|the|a] (time|chance|moment|minute) [yet|so far|to]
after [the] (work|lunch|dinner|breakfast|meeting|call|shower|gym)|[i] haven't (gotten|got) (to it|around to it) [yet]
wait [{when}|a (bit|moment|sec|second|little)]|(hold|hang) on [{when}|a (bit|moment|sec|second)]
[just] (one|a|1) (sec|second|moment)|moment|just a bit
{give} [just] [{about}] (a (sec|second|moment|bit|while|little)|some time|more time|<duration>|<time>) [more]
{give} [just] [{about}] a few [more] minutes [more]
[in] [just] [a] (few|couple|couple of) [more] (minutes|mins|hours)|[in] [just] some [more] minutes|a little longer
a bit longer|a bit more [time]|[a little] more time|[i] need [a bit|a little|some] more time
[i|i'd] (need|want|would like|like) [{about}] <duration> [more|longer]
[just] {when} [more|longer|later]
[just|another|only|maybe|say|about] <duration> [more|longer|later|pls]|<duration> from now
{hasnt} ({done}|{act}) [{thing}] (yet|so far)|not (done|finished|taken|ready) yet
not yet ({done}|ready|finished) [{thing}]|{be} not (done|finished|ready) yet|haven't yet|i haven't yet|not so far
(i|we) {hasnt} ({done}|{act}) [{thing}] yet
[{be}] (almost|nearly|half|about|not quite) (done|finished|there|ready)|almost|nearly
[{will}] be (done|finished|ready|there) [{soon}|{when}]|(done|finished|ready) ({soon}|in [{about}] <duration>)
{will} [{act} [{thing}|to it]] [{soon}|{when}|{now}]|{will} [{soon}] {act} [{thing}]|will do|do it {soon}
do it {when}|i'll be back [{soon}|{when}]|brb
[{be}] [just] (doing|taking|finishing|drinking|eating) {thing} [{now}|{soon}|{when}|as we speak]
[{be}] (working on it|on it|on my way|at it|coming|getting to it|in progress)|[{be}] about to [{act} [{thing}]]
(postpone|delay|defer|reschedule|snooze|push) [{reminder}] [back] [for|by|to|until] [{when}|{soon}|<number> [more]]
snoozed|a bit later|later then|then later|{assent} [,] right away
next time""",
    ReplyRole.REMIND: """
[just|then] {nudge} me [{again}] [about (it|this|that)] [{when}|{soon}|another time] [{again}]
[then] (remind|ask|ping) [{again}] [{soon}|{when}]
[then] (try|come back|check back|check in|get back to me) [{again}] [{soon}|{when}]|again [{soon}|{when}]
repeat [{soon}|{when}]""",
    ReplyRole.ASK: """
{could} {nudge} me [{again}] [about (it|this|that)] [{when}|{soon}|another time] [{again}]
(can|could|may) i [please] have [{about}] <duration> [more|longer]
{could} [please] {give} [{about}] <duration> [more|longer]""",
    ReplyRole.AGO: "[just] [{about}] <duration> ago|a while ago|a moment ago",
    ReplyRole.OTHER: """
[very] (well|good|nicely|poorly|half|so) done|yes man|good job|nice one|take it easy
(check|confirm) [,] please|please [,] (check|confirm)|consider it done|no [,] no problem""",
    ReplyRole.MOCK: """
{assent} [,] right|right [,] (sure|sure thing)|(oh|ah|ha|wow|omg|lol|haha|hahaha|hehe|just) [,] {gush}
(yeah|yea|ya) [,] (yeah|yea|ya)|sure [,] sure""",
    ReplyRole.PARTING: "see you [later|soon|tomorrow]|talk to you later|ttyl|catch you later",
    ReplyRole.THANKS: "thanks|thank you|thanks [you] (so|very) much|thank you (so|very) much|many thanks|thanks a lot",
    ReplyRole.POLITE: """
thanks again|cheers|(thanks|thank you|thx|ty) for (reminding me|[the|your] reminder|asking|[your|the] message)
please|kindly|sorry|sry|my bad|appreciated|much appreciated
good (morning|evening|afternoon|night|day)|morning|evening|yo|dear|buddy|mate|bro|friend|love|honey|sir|bye|goodbye
cu|have a (good|nice|great) (day|one|evening)
well|then|actually|don't worry|no worries|no problem|no prob|just|um|uh|uhm|ahh|ooh|oops|wow|omg|phew|finally
honestly|you know|that's all|for reminding me
for the reminder|for asking|[my] (doc|doctor) (said|told me) [so|to]""",
    ReplyRole.JOIN: "but|and|so|though|however",
}

REPLIES = ReplyWords(
    phrases=_PHRASES,
    macros=_MACROS,
    negations="no|not|never|don't|do|i",
    future="in",
    at="at",
    until="not until|not before|until|till|til|up to|not till",
    openers="at|on|this|next",
    days="tomorrow|tonight|noon|midnight|midday|evening|afternoon",
    inner="am|pm|a.m.|p.m.|o'clock|oclock|in|the|at|on|morning|evening|afternoon|night|week|half|past|to|h|quarter",
    plus="and",
    half="half",
    more="more|extra|additional|further",
    lengths={
        15: "quarter of an hour|a quarter of an hour|quarter hour|a quarter hour|quarter an hour",
        30: "half an hour|half hour|a half hour|another half hour|another half an hour|a half an hour",
        45: "three quarters of an hour|three quarter hour",
        90: "one and a half hours",
    },
    numbers={1: "another", 40: "fourty"},
    typed={
        "u": "you",
        "cant": "can't",
        "dont": "don't",
        "havent": "haven't",
        "didnt": "didn't",
        "tmrw": "tomorrow",
    },
    units={Unit.MINUTE: "mn|mnt|minuet|minuts"},
)
