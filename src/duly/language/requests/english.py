"""How people ask in English."""

from __future__ import annotations

from duly.language.requests.form import RequestWords

WORDS = RequestWords(
    code="en",
    courtesies=(
        "yo|please|pls|plz|thanks|thank you|thx|ty|cheers|hey|hi|hello|ok|okay|so|now|duly|hey duly|just|kindly"
        "|pretty please|thanks a lot|thank you so much|tysm|tnx|thnx|good morning|good evening|dear duly|btw|oh"
        "|ah|and|also|quickly|real quick|sorry|mate|dude|buddy|bro|then|alright|right|cheers mate|if you can"
        "|if possible|when you can|ta|many thanks|hiya|heya|hey there|hi there|hello there|gonna need you to|xx"
    ),
    greetings=(
        "thanks|thank you|many thanks|thanks a lot|thank you so much|thx|ty|cheers|hi|hey|hello|sorry"
        "|good morning|good evening|hello there|hi there|hey there"
    ),
    sayings=(
        "say|saying|tell|write|text|message|send|wish|mail|email|reply|answer|whisper|shout|sing|give|says|whatsapp"
    ),
    tells_whom="say|tell|wish|whisper|shout",
    unfinished="a|an|the|my|your|our|his|her|their|with|of|for|from|another|big|one|say a|little",
    askings=(
        "can you|could you|would you|will you|can u|could u|would u|can you please|could you please"
        "|would you please|can u pls|can you pls|could you pls|i want you to|i need you to|i'd like you to"
        "|i would like you to|can we|could we|can you just|could you just|let's|lets|i want to|i'd like to"
        "|id like to|i would like to|i wanna|wanna|would you mind|do you mind|would you be able to"
        "|are you able to|you can|you could|can ya|cld you|cd you|u can|may i ask you to|be so kind and"
        "|be a dear and|i need to ask you to|is it possible to|make sure to|make sure you|pls can you"
        "|please can you|please could you|pls could you"
    ),
    leads=(
        "remind me (please/pls/plz/again/also/)|(set/make/create/add/put/schedule/send/give/leave/get) (me/up/"
        ") (a/an/another/one/) (new/quick/daily/weekly/) (reminder/notification)"
        "|i (need/want) (a/another) reminder|i'd like a reminder|(new/a/another/one/) reminder"
        "|(ping/nudge/poke/buzz) me|reming me|remimd me|remin me|remidn me|rmind me|remnd me|remind m|rimind me"
        "|(don't/dont/do not/please don't/pls dont/never) let me forget|(don't/dont/do not) forget to remind me"
        "|help me remember|i (don't/dont) want to forget|i must not forget|i mustn't forget"
        "|i (shouldn't/shouldnt/can't/cant/cannot) forget|you remind me"
        "|make sure i (remember/don't forget/dont forget)|give me a (shout/nudge/ping/heads up)|reminders me"
        "|reminde me"
    ),
    weak_leads=(
        "note to self|note|todo|to do|remember|tell me (to/that i/i have to/i need to)|(don't/dont/do not) forget"
        "|memo|let me know (to/that i/about)|(notify/alert/text/message) me|self reminder|to remember"
        "|i need reminding|i need to be reminded|i want to be reminded|i'd like to be reminded|make sure"
        "|keep in mind|fyi"
    ),
    end_leads=(
        "remind me"
        "|(and/so/so please/please/pls/so pls/can you/could you/can u/could u/will you/would you/plz) remind me"
        "|remind me (of it/of that/about it/about that/please/pls/then/thx/ok)|(don't/dont/do not) let me forget"
        "|(don't/dont) let me forget (it/that/this)|(don't/dont) forget|reminder|reminder please|reminder pls"
        "|i need a reminder|set a reminder|set reminder|set me a reminder|can you set a reminder|ping me|nudge me"
        "|i (must not/mustn't/can't/cant/shouldn't) forget"
        "|i (must not/mustn't/can't/cant/shouldn't) forget (it/that)|help me remember|alarm"
    ),
    musts=(
        "i (have to/need to/must/should/gotta/got to/want to/wanna/am supposed to/have/need/ought to/"
        "will need to/will have to)|i've got to|ive got to|i've got|ive got|i'm supposed to|im supposed to"
        "|need to|have to|gotta|must|i got|i'll need to|i've to|there's|there is|theres"
        "|we (have to/need to/must/should/have)|got to|got|i'm going to|i am going to|i will|i'll|im gonna"
        "|i'm gonna|to"
    ),
    wakes=(
        "wake me (up/)|(set/make/create/add/put/schedule/give) (me/up/) (an/the/a/my/) (wake up/wake up call/"
        "wakeup call/wake up alarm)|wake up call|get me (up/out of bed)|i need to (get up/wake up/be up)"
        "|i (have to/must) (get up/wake up/be up)"
    ),
    alarms=(
        "(set/make/create/add/put/schedule/give) (me/up/) (an/the/a/my/) (alarm/timer)|(an/) alarm"
        "|i need an alarm|(new/) timer|alarm me"
    ),
    alarm_text="alarm",
    statements=(
        "i|i'm|im|i'll|ill|i've|ive|i'd|you|u|ur|your|you're|youre|we|we're|we'll|he|she|it|it's|its|they|them"
        "|him|his|us|our|who|what|when|where|why|how|which|whose|whats|is|isn't|isnt|are|arent|was|were|wasnt|be"
        "|been|being|am|will|wont|won't|would|could|should|shall|can|can't|cant|cannot|might|may|must|do|does|did"
        "|didn't|didnt|don't|dont|doesn't|doesnt|has|had|have|haven't|hasn't|not|yes|yep|yeah|nope|ok|okay|maybe"
        "|perhaps|if|because|but|than|see|hate|think|know|hope|guess|believe|went|came|saw|got|took|made|said|met"
        "|ate|drank|slept|woke|left|bought|forgot|won|lost|sent|gave|found|felt|heard|ran|spoke|wrote|broke|just"
        "|already|never|always|ago|yesterday|last|happy|great|lovely|fun|bad|sad|tired|funny|cool|awesome|boring"
        "|cold|hot|weather|leaves|starts|opens|closes|comes|arrives|ends|begins|goes|says|works|looks|seems"
        "|sounds|feels|departs|lands|lol|haha|hahaha|omg|wow|thanks|thank|sorry|hello|hi|hey|bye|until|till|til"
        "|since|from|between|such|very|so|too|really|cya|later|soon|again|cancel|delete|remove|move|push|pause"
        "|resume|stop|undo|mute|unmute|reschedule|postpone|delay|snooze|skip|every|each|everyone|everybody|remind"
        "|reminder|reminders|reminding|let|let's|lets"
    ),
    lone_statements=(
        "out|up|off|back|home|free|busy|done|ready|here|there|asleep|awake|late|early|good|nice|night|love|in|ok"
        "|fine|sick|lunchtime|bedtime|leaving|arriving|coming|going|tomorrow|now|sleeping|working|eating"
    ),
    statement_ends=r"(?<!^ne)(?<!^b)(?<!^fe)(?<!^r)(?<!^w)(?<!^se)(?<!^she)(?<!^spe)(?<!^sh)(?<!^bre)(?<!^mo)ed$|n't$",
    others="remind|send a reminder to|set a reminder for|set reminder for",
    and_words="and|&|and also|plus",
    selves="me|myself",
    first_lead="remind me",
    joints=(
        "to|that|about|of|for|that i have to|that i need to|that i should|i have to|i need to|i should|abt|2|re"
        "|that i must|that i've to|that i got to|that i gotta|that we|that we have to|i must|regarding|when it's"
        "|bout|with|on|saying|because|cause|cuz|so i can|so that i|so i|that i|that it's|that its|it's time to"
        "|its time to|that it is time to|w|again to|again about|again|not to forget|not to forget to|i've to"
        "|we need to|we have to|please to|pls to|text|titled|called|named|labeled|and tell me to|and say"
    ),
    befores="before|prior to|ahead of|after|early",
    before_times="yesterday|last",
    behind_times="yesterday|ago|until|till|til",
    alternatives="or",
    zone_nouns="time",
    infinitive="to",
    titles="mr|mrs|ms|mister",
    title_nouns="miss|dr|doctor|prof|professor",
    doses=(
        "mg|mcg|g|ml|cl|dl|l|iu|ie|unit|units|drop|drops|pill|pills|tablet|tablets|tab|tabs|capsule|capsules"
        "|cap|caps|puff|puffs|spoon|spoons|spoonful|spoonfuls|teaspoon|teaspoons|tablespoon|tablespoons|tsp"
        "|tbsp|dose|doses|spray|sprays|sachet|sachets|patch|patches|ampoule|ampoules|injection|injections"
        "|vitamin|vitamins|lozenge|lozenges|glass|glasses|cup|cups|half|%|percent|kg|milligram|milligrams"
        "|grams|gram"
    ),
    plurals="s",
    parts_said=(
        "in the morning|in the mornings|in the afternoon|in the afternoons|in the evening|in the evenings"
        "|at night|in the night|every night|every morning|every evening|mornings and evenings|at lunchtime"
        "|at bedtime|before bed|at noon|at midnight"
    ),
    part_nouns="morning|afternoon|evening|night",
    part_things=(
        "cream|serum|mask|shift|class|classes|course|duty|routine|school|gown|guard|mass|prayer|prayers|bus|train"
        "|flight|news|show|market|person|owl|lamp|light|bag|splint|drops|nurse"
    ),
    opens_end=(
        "in total|until|till|til|as long as|so long as|up until|while supplies last|for as long as|up to and including"
    ),
    hangers="for",
    opens_start=(
        "if it hurts|if i have pain|if in pain|if i'm in pain|in case of pain|"
        "as needed|when needed|if needed|if necessary|when necessary|if required|prn"
        "|starting|beginning|as of|starting from|starting on|starting when|beginning when"
    ),
    opens_exception=(
        "but not|but only|except|except when|except if|except on|except for|unless|but skip|apart from|and not on"
    ),
    bounds=(
        "not|without|minus|skipping|skip|excepting|exclusive of|never|no|commencing|effective|ending"
        "|ending on|up|up until|since|with the exception of|leaving out|not counting"
    ),
    occasions=(
        "easter|christmas|xmas|new year|new years|holidays|holiday|vacation|vacations|bank holidays"
        "|public holidays|school holidays|thanksgiving|halloween|ramadan|summer|winter|spring|autumn|i|we|she"
        "|he|they|when"
    ),
    danglers=(
        "for|set for|scheduled for|due|on|set to|that is|which is|is|it's|its|starting|beginning|happening"
        "|when it's|at about"
    ),
    asks_what=(
        "what's on|whats on|what is on|what do i have|what've i got|what have i got|what's planned"
        "|what is planned|what's due|what is due|whats due|what's coming up|what is coming up|whats coming up"
        "|what's scheduled|what is scheduled|anything on|do i have anything|have i got anything|what is there"
        "|what's there|what am i doing|what's on my list|what reminders do i have|any reminders|whats|what's"
        "|what is|what are my reminders|what's on my plate|what's next|what is next|whats next"
        "|what does my day look like|what does my week look like|wut do i have|wat do i have|do i have reminders"
        "|do i have any reminders|agenda|my agenda|what are the reminders|anything"
        "|anything (planned/scheduled/due/up/coming up/going on/happening/to do/i need to do/i have to do/else)"
        "|is there anything|is there anything (planned/scheduled/due/on/to do/coming up/going on)|got anything"
        "|have i anything|do i have anything (planned/scheduled/on/due/coming up/going on)|do i have plans"
        "|do i have any plans|any plans|any (appointments/tasks/events/todos/meetings)"
        "|do i have (any/) (appointments/tasks/events/todos/meetings/stuff)|what's happening|whats happening"
        "|what is happening|what's going on|whats going on|what do i need to do|what do i have to do"
        "|what should i do|what's (my/the) (plan/schedule/agenda/programme/program/day) (like/)"
        "|whats (my/the) (plan/schedule/agenda/program/day) (like/)"
        "|what is (my/the) (plan/schedule/agenda/program/day) (like/)|how's my|hows my|how is my|how does my…look"
        "|how does my…look like|what does my…look like|what's my…like|whats my…like|what is my…like"
        "|how's my…looking|hows my…looking|how's…looking|what does…look like|how does…look|plans|my plans|plan"
        "|what am i supposed to do|what did i plan|what have i planned|what've i planned|what's left|whats left"
        "|what is left|what's pending|what's open|what's waiting|what's on the agenda|what's on my agenda"
        "|whats on the agenda|whats on my agenda|what's in store|what's on for|whats on for|what's coming"
        "|whats coming|what reminders are there|which reminders do i have|which reminders|what reminders"
        "|how many reminders do i have|what've i got on|what have i got on|what do i have on"
        "|what do i have coming up|what do i have going on|what do i have planned|what do we have|what've we got"
        "|what have we got|what's the plan for|what appointments do i have|what tasks do i have|wots on|what on"
        "|whatcha got"
    ),
    shows="show|show me|list|list me|give me|see|display|view|get|read me|tell me|print|let me see|can i see",
    list_fillers=(
        "on|for|my|the|me|of|in|to do|todo|all|planned|scheduled|due|there|coming up|up|do i have|have i got"
        "|i have|reminders|reminder|schedule|agenda|list|tasks|appointments|things|calendar|please|set|active"
        "|open|upcoming|what|is|are|stuff|today's|s|plans|plan|left|still|else|going on|happening|like|looking"
        "|look|everything|reminders do i have|do we have|got|i've got|have i|pending|then|day of|during|by|until"
        "|all the|events|meetings|todos|whole|entire"
    ),
    nouns="reminders|reminder|schedule|agenda|list|appointments|tasks|calendar|todos",
    today=(
        "today|2day|tonight|this day|now|day|this morning|this afternoon|this evening|rest of the day"
        "|the rest of the day|later today|today's"
    ),
    tomorrow=(
        "tomorrow|2moro|tmrw|tmr|tomorow|tommorow|2morrow|tmw|tmoro|tomoz|tomo|tommorrow|tomorrows|tomorrow's"
        "|tomorrow morning|tomorrow afternoon|tomorrow evening|tomorrow night"
    ),
    week=(
        "week|this week|the week|the next 7 days|next 7 days|the next seven days|the coming week|rest of the week"
        "|the rest of the week|coming week|next few days|the next few days|coming days|the coming days|7 days"
        "|this weeks|this wk|wk|weekly"
    ),
    next_week="(the/) (next/following) week|next wk|nxt week|week after this|next week's",
    weekend="(this/the/on the/at the/this coming/over the/for the/next/) (weekend/wkend/wknd)|weekend's|on weekend",
    everything=(
        "everything|all|all of them|all reminders|all my reminders|all the reminders|my reminders|every reminder"
        "|reminders|the reminders|all of my reminders|it all|notifications|all notifications"
        "|all reminders of mine|the lot|every single one|each reminder|all alerts|alerts|reminding me|all of it"
        "|the whole lot|all this|everything else|all schedules|all messages|messages|pings|all pings"
    ),
    moves=(
        "move|reschedule|push (back/out/off/)|postpone|shift|put off|delay|bring (forward/up/)|rebook"
        "|reschedule the reminder for|change the time of|change time of|mov|rescedule|reschedual|moove"
        "|pull forward|pull up|moving|rearrange|slide|bump|pull"
    ),
    weak_moves="change|set|switch|make|put|update|edit|adjust|take|swap",
    earlier_moves="bring (forward/up/)|pull (forward/up/)",
    move_to=(
        "to|until|till|for|on|onto|back to|forward to|2|out to|over to|to be on|to be at|at|til|instead to|round to"
    ),
    weak_to="to|over to|for|back to|2",
    move_by=(
        "by|back by|forward by|back|forward|out by|for|another|ahead|ahead by|up|up by|on by|out|an extra"
        "|earlier by|later by|around|in|of"
    ),
    forwards="forward|forward by|ahead|ahead by|up|up by",
    later="later|back|further|forward|out|further back|more|on|after|behind|afterwards",
    earlier="earlier|sooner|ahead|before|up",
    cancels=(
        "(cancel/cancle/cancell/delete/remove/drop/erase/kill/scrap/clear/scratch/ditch/dump/axe/trash/discard/"
        "dismiss/unset)|get rid of|take off|(forget/4get) (about/)|nevermind (the/)|never mind (the/about the/)"
        "|stop reminding me (about/of/to/for/)|(no more/not) reminders (about/for/of/on)|no more"
        "|no longer remind me (about/of/to)"
        "|(don't/dont/do not) remind me (about/of/to) …(anymore/any more/any longer)"
        "|(don't/dont/do not) remind me…(anymore/any more/any longer)"
        "|(no need for/no need of/no need to remind me of/no need to remind me about)"
        "|(no need for/no need of)…(anymore/any more/any longer)"
        "|i (don't/dont/do not) need…(anymore/any more/any longer)|(don't/dont/do not) need…(anymore/any more)"
        "|i no longer need|…(is/are) (cancelled/canceled/off/not needed anymore/no longer needed/obsolete)"
        "|throw away|throw out|call off|call…off|take…off (the list/my list/)|cross off|cross…off|strike|wipe"
        "|remove…from my list|i won't need|i wont need|skip…completely|cancel…for good|delete…for good"
    ),
    cancel_it=(
        "(cancel/cancle/delete/remove/erase) (it/that/this/that one/this one/the last one/that reminder/this reminder/"
        "the reminder/the last reminder)"
    ),
    move_it=("(move/reschedule/postpone/push/shift/change/put/delay) (it/that/this/that one/this one) (back/)"),
    skip_it=("(skip/leave out) (it/that/this/that one/this one)|leave it out"),
    sure_cancels="cancel|cancle|delete|remove|erase|scrap|stop reminding me|get rid of",
    skips="skip|leave out",
    skip_ends="next time|this time|once|one time|the next time|the next one",
    pauses=(
        "pause|mute|silence|suspend|put (on hold/on pause)|put…(on hold/on pause)|turn off|turn…off|switch off"
        "|switch…off|freeze|hold off on|hold off with|disable|deactivate|halt|snooze all|pausing|stop|hush"
        "|take a break from|take a break|pause reminding me (about/of/to)|give me a break from"
    ),
    weak_pauses=(
        "(be/stay/keep/go) (quiet/silent/still/calm)|shut up|quiet|silence"
        "|no (reminders/notifications/messages/pings/alerts)"
        "|(don't/dont/do not) (disturb/bother/message/ping/text/remind/notify/bug) me|do not disturb|dnd"
        "|leave me alone|give me (a break/peace/some peace/some quiet)|hold (everything/all/it all)|hush"
        "|no more reminders|keep it down|stay off|pause|don't send me anything|dont send me anything"
        "|(don't/dont) send me (reminders/any reminders/messages)|leave me in peace|shush"
    ),
    resumes=(
        "resume|unpause|unmute|continue (with/)|restart|reactivate|turn on|turn…on|turn…back on"
        "|switch…(on/back on)|switch on|go on with|reenable|re enable|enable|start…again|start up…again"
        "|(bring back/get back)|bring…back|begin…again|carry on with|unsnooze|un pause|un mute|activate|unsilence"
        "|remind me of…again|wake up|start again|unfreeze|turn back on|start again with|keep going with"
        "|activate…again"
    ),
    until="until|till|til|up to|to|till next",
    for_length="for|for the next|over the next|during the next|for another",
    from_now="in",
    nows="now|right now",
    at_hour="at",
    articles=(
        "the|my|a|an|that|this|our|reminder|reminders|the reminder|my reminder|about|for|of|to|reminding me"
        "|the one|that one|one|with|called|named|everything about"
    ),
    determiners="the|my|our|your|his|her|their|this|that|these|those",
    pronouns="it|that|this|them|that one|this one|the one|one|the last one|me not|me|us|you",
    undos=(
        "undo|undo it|undo that|undo this|undo last|take it back|take that back|revert|revert that|oops|oops undo"
        "|undo please|no undo|ctrl z|scratch that|undo the last|undo the last one|undo my last change|unda|udno"
        "|undue|u n d o|take back|roll back|rollback|ctrl+z|cmd z|whoops|put it back|put that back"
    ),
    undo_fillers=(
        "it|that|this|last|the last|last one|the last one|the last thing|last thing|last change|the last change"
        "|my last change|the last action|last action|last step|the last step|what you did|what you just did"
        "|what i did|what i just did|that one|please|no|wait|actually|again|just|now|change|action|the change"
        "|sorry|the|oops|ups|one|undo|quick|my|step|back|i misclicked|misclicked|my mistake|wrong one|my bad"
    ),
    helps=(
        "help|help me|?|what can you do|what can i say|what can i do|how does this work|how do i use this"
        "|commands|how do i use you|what do you do|start|i need help|how does it work|instructions|what can i ask"
        "|menu|what can u do|what are you able to do|what do you understand|how to use (this/you/it)"
        "|how do you work|how does this (thing/bot/app/) work|how do i (set/make/create/add) (a/) reminder"
        "|how do i (start/begin)|what (are/is) (the/your) (commands/options/features/functions)"
        "|list (of/) commands|what (are you/is this)|who are you|manual|guide|info|halp|hlep|helpp|hepl|sos"
        "|show (me/) (help/commands/the commands/what you can do)|give me help|can i get (some/) help"
        "|i don't understand|i dont understand|i don't get it|i dont get it|usage|faq|tutorial|show me how"
        "|what else can you do|what all can you do|what can i type|what can i write|what should i say"
        "|what should i write|what are my options|options|features|explain yourself|how does that work"
        "|what can this (bot/thing) do|how can i use (this/you)|how do u work|getting started|need help|some help"
        "|a bit of help"
    ),
    help_fillers=(
        "for me|here|exactly|then|actually|all|everything|in here|with this|out|please|me|again|really|anyway|the"
        "|bot|and|so|now|duly|with it|with reminders|with you"
    ),
    yes="yes|y|yep|yeah|yup|sure|ok|okay|right|correct|do it|please do|yes please|exactly|that's right|go ahead",
    no="no|n|nope|nah|no thanks|never mind|nevermind|cancel|forget it|wrong|neither|none|stop|don't|leave it",
)
