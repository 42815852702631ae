package analyze

import (
	"maps"
	"slices"
	"strings"
)

// stopwords by language: function words, which say what language a text is in
// and nothing else. Words that are also common nouns or names are left out.
var stopwords = map[string]string{
	"da": `af alle andet anden at blev blive bliver da de dem den denne der deres det dette dig din dine disse dog du efter
			eller en end er et for fra ham han hans har havde have hende hendes her hos hun hvad hvem hvilken hvilke hvor hvordan hvorfor
			hvornår hvis i ikke ind ingen jeg jer jo kan kunne man mange med meget men mig min mine mit mod når ned nogen noget nogle
			nu og også om op os over på sådan selv sig sin sine sit skal skulle som til ud under var vi vil ville vor være været`,
	"nl": `aan al alles als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een en er ge geen geweest
			haar had heb hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je kan kon kunnen maar me meer men met mij mijn
			moet na naar niet niets nog nu of om omdat onder ons ook op over reeds te tegen toch toen tot u uit uw van veel voor waar waarom
			wanneer want waren was wat welke werd wezen wie wil worden wordt zal ze zelf zich zij zijn zo zonder zou`,
	"en": `a about above after again against all also am an and any are arent as at be because been before being below between
			both but by can cannot cant could couldnt did didnt do does doesnt doing dont down during each eg either else ever few for from
			further had hadnt has hasnt have havent having he her here hers herself him himself his how however i ie if im in into is
			isnt it its itself just me more most much must my myself neither no nor not of off on once only or other our ours
			ourselves out over own same shall she should shouldnt since so some such than that the their theirs them themselves then
			there these they this those though through thus to too under until up upon very was wasnt we were werent what when where
			whether which while who whom whose why will with within without wont would wouldnt yet you your yours yourself yourselves`,
	"fi": `että ei eivät emme en et ette ehkä hän hänen hänet he heidän ja jo joka jonka joita jos jossa joten jotka kaikki kanssa
			kuin kuinka kun koska kuka kukin me meidän mikä miksi millä milloin minä minun missä mitä mitkä mukaan mutta muu muut myös
			näin nämä ne niin niitä niiden noin nyt olen olet oli olisi olivat olla olleet ollut on ovat sekä se sen siinä siitä sille
			sitä sinä sitten tai te tämä tämän tässä tätä tuo vaan vai vaikka vain vielä voi`,
	"fr": `à afin ai ainsi alors après au aucun aucune aussi autre autres aux avait avant avec avoir ayant c car ce ceci cela celle
			celles celui ces cet cette ceux chaque chez comme comment d dans de depuis des donc dont du elle elles en encore entre est
			et étaient était étant été être eu eux fait fut furent ici il ils j je jusque l la là laquelle le lequel les lesquels leur leurs lors
			lui m ma mais me même mêmes mes moi moins mon n ne ni nos notre nous on ont ou où par parce pas pendant peu peut plus pour
			pourquoi puis qu quand que quel quelle quelles quels qui quoi s sa sans se sera ses si sinon soit son sont sous sur t ta
			te tes toi ton tous tout toute toutes très tu un une vers vos votre vous y`,
	"de": `aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei beim bin
			bis bist da dabei dadurch daher dafür damit dann das dass daß dazu dein deine dem den denn der deren des dessen
			dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines einige einigen er
			es etwa etwas euch euer für gegen gewesen hab habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem
			ihren ihrer im in indem ins ist ja je jede jedem jeden jeder jedes jedoch jene jenem jenen jener jenes kann kein keine
			keinem keinen keiner können könnte machen man manche mein meine mich mir mit muss muß musste nach nicht nichts noch nun
			nur ob oder ohne sehr sei sein seine seinem seinen seiner seit selbst sich sie sind so solche soll sollte sondern sonst
			sowie über um und uns unser unsere unter viel vom von vor während wann war waren warum was weil welche welchem welchen
			welcher welches wem wen wenn wer werde werden wessen wie wieder will wir wird wo wobei wofür wodurch womit woran worauf woraus wurde wurden
			würde würden zu zum zur zwar zwischen`,
	"hu": `a abban ahhoz aki akik akkor alatt által általában amely amelyek amelyet ami amit amikor annak arra arról az azok azon azt
			aztán azért be bár csak de e ebben egy egyes egyik el elő első én és ez ezek ezt ezért fel fog ha hanem hogy hogyan hol igen így
			ill illetve is itt jó ki kell keresztül kik közben között közül le legyen lehet lenne lesz lett maga majd már más meg még
			melyik mely mert mi mikor milyen mind mint mit mivel most nagyon nekem neki nem nincs olyan ott össze ő ők pedig sem semmi
			sok s számára szerint szinte talán te tehát teljes ti több úgy új után vagy van vannak vele volna volt voltak`,
	"it": `a abbiamo agli ai al alla alle allo anche ancora avere aveva c che chi ci ciò coi col come con contro cosa così cui d da
			dagli dai dal dalla dalle dallo degli dei del della delle dello di dopo dove due e è ed era erano essere fra fu furono gli
			ha hai hanno ho i il in io l la le lei li lo loro lui ma me mentre mi mia mio molto ne negli nei nel nella nelle nello no noi
			non nostra nostro o ogni per perché più poi prima quale quali quando quanto quella quelle quelli quello questa queste
			questi questo qui se sei senza si sia siamo sono sta stata stati stato su sua sue sugli sui sul sulla sulle sullo suo
			suoi tra tu tua tuo tutti tutto un una uno vi voi`,
	"no": `alle andre at av bare ble blei bli blir både da de deg dei dem den denne der dere deres det dette di din disse du då eller
			en enn er et ett etter for fordi fra før han hans har hadde henne hennes her hva hvem hver hvilke hvilken hvis hvor hvordan
			hvorfor i ikke ingen inn ja jeg kan kom kunne man mange med meg mellom men min mitt mot mye når noe noen nå og også om opp oss over på
			seg selv sin sitt sine sjøl skal skulle slik so som til under ut uten var ved vi vil ville vår være vært å`,
	"pt": `à ao aos aquela aquele aqueles as às até com como da das de dela dele deles depois do dos e é ela elas ele eles em entre
			era eram essa esse esta está estão estar estas estava este estes eu foi foram há isso isto já lhe mais mas me mesmo meu
			minha muito na não nas nem no nos nós nossa nosso num numa o onde os ou para pela pelas pelo pelos por porque pode qual quais quando que quem
			são se seja sem ser será seu seus só sobre sua suas também te tem têm ter tinha tu um uma umas uns você vocês`,
	"ro": `a acea aceasta această aceea acei aceia acel acela acele acest acesta aceste acestei acestor acestui acolo ai aici al ale
			alt alta altă altele alți am ar are as aș asta astfel asupra au avea avem avut ca că care ce cea cei cel cele cine cu cum când
			cât da dacă dar de deci decât deoarece despre din după ea ei el ele era erau este eu face fi fie fiecare fost foarte iar
			în încât între îl își la le lor lui mai mea mei meu mult ne nici nimic noi nu o or ori pe pentru până prin sa să sau se și
			sunt spre sub te toate tot toți tu un una unde unei unele unor unui va voi vor`,
	"ru": `а без более бы был была были было быть в вам вас ведь весь во вот все всего всех вы где да даже для до его ее ей ему если
			есть еще же за здесь и из или им их к как какая какие какой когда кого который которая которые которых кто куда ли либо между меня мне
			может мы на над надо нас не него нее нет ни них но ну о об однако он она они оно от очень по под после потому почему при про раз с сам со
			свою себе себя так также такой там те тем то того тоже той только том тот ту ты у уже хотя чего чем что чтобы чье эта эти это этого этой этом этот я`,
	"es": `a al algo algunas algunos ante antes aquel aquella como con contra cual cuales cuando cuándo cuál cómo de del desde donde dónde durante
			e el él ella ellas ellos en entre era eran es esa esas ese eso esos esta está están estaba estas este esto estos fue
			fueron ha había han hasta hay la las le les lo los más me mi mientras mis mucho muchos muy nada ni no nos nosotros nuestra
			nuestro o os otra otras otro otros para pero poco por porque qué que quien quién quienes se sea ser si sí sido sin sobre
			son su sus también tanto te tiene tienen toda todas todo todos tu tú un una unas uno unos usted y ya yo`,
	"sv": `alla allt att av blev bli blir blivit de dem den denna deras dess dessa det detta dig din dina ditt du där då efter ej
			eller en er era ert ett från för ha hade han hans har henne hennes hon honom hur här i icke ingen inom inte jag ju kan
			kunde man med mellan men mig min mina mitt mot mycket ni nu när någon något några och om oss på samma sedan sig sin sina
			sitt själv skulle som så sådan till under upp ut utan vad var vara varför varit varje vars vart vem vi vid vilka vilken vilket våra vår är åt över`,
	"tr": `acaba ama ancak artık aslında az bana bazı belki ben beni benim bile bir biri birkaç biz bize bizi bizim bu buna bunda
			bundan bunu bunun burada çok çünkü da daha de defa değil diğer diye dolayı en fakat gibi göre hangi hani hatta hem henüz
			hep hepsi her hiç için ile ise işte kadar karşın kendi kendine ki kim kimse mı mi mu mü nasıl ne neden nerede niçin nin o
			olan olarak oldu olduğu olmak olur ona ondan onlar onların onu onun orada oysa öyle pek rağmen sadece sanki sen siz sonra
			şey şu tarafından tüm var ve veya ya yani yerine yine yok zaten`,
}

// languages that have stop words, in order; the index is the language's bit.
var languages = slices.Sorted(maps.Keys(stopwords))

// langs is a set of languages.
type langs uint32

// bit returns the set of one language; the empty set for one without stop words.
func bit(lang string) langs {
	if i, ok := slices.BinarySearch(languages, lang); ok {
		return 1 << i
	}
	return 0
}

// functions tells for each stop word, folded, whose it is.
var functions = func() map[string]langs {
	all := make(map[string]langs)
	for lang, list := range stopwords {
		for word := range strings.FieldsSeq(list) {
			all[fold(lower(word))] |= bit(lang)
		}
	}
	return all
}()
