/**
 * Whether a password is one of those that people use most, by how they are made: a word or a name,
 * a year, a walk over the keyboard. It is cut into as few such pieces as possible; what takes three
 * or fewer is tried first by whoever guesses.
 */
const mostPieces = 3

const english = `password passwd pass passw passwor admin administrator root user test guest login welcome hello letmein master manager
  super superman batman dragon monkey shadow sunshine princess football baseball basketball soccer hockey iloveyou loveyou love lover
  baby angel michael jordan jessica matthew charlie thomas robert daniel andrew anthony william richard patrick melissa heather jackson
  brandon gordon shaney freedom whatever trustno mustang yankees rangers raiders cowboys chelsea arsenal thunder diamond phoenix porsche
  pokemon scooter gateway formula wrinkle access agent apollo babylon blink front rush ncc satan mailcreated soso fuckyou fuck
  asshole suck usuckballz summer winter spring autumn monday friday january december happy lucky money power magic star king queen
  prince tiger lion eagle cookie flower purple orange silver golden computer internet windows office server system default changeme
  secret private public change company china vending machine operator agent finance support service google apple samsung huawei xiaomi
  iphone android linux oracle mysql asdf zxcv abc qwe qaz wsx edc zaq xsw aaa my the you`
const chinese = `woaini woaiwojia woaiwo woai aini wodemima mima zhanghao denglu wode nishi shishui buzhidao meiyou nihao zhongguo beijing
  shanghai guangzhou shenzhen hangzhou chengdu wuhan nanjing tianjin chongqing xianggang taiwan laopo laogong baobao baobei mama baba
  gege jiejie didi meimei xiaoming xiaohong xiaoyu xiaolong xiaobai tiankong xingxing yueliang taiyang kuaile shengri jiandan haoren
  haha hehe xixi hahaha zaijian pengyou aiqing qinai qingchun yongyuan yisheng yishi gongsi guanli guanliyuan yonghu ceshi yunwei
  caiwu buhuo weixiu shouhuo shouhuoji zidong zidongshouhuo zidongshouhuoji shangpin shebei dingdan woshi woshishen woshishei
  fanmaiji huodao yunying daili taobao tianmao jingdong zhifubao weixin baidu tengxun alibaba
  wechat alipay tencent qq nima wocao shabi caonima tmd zhaocai facai`
const surnames = `wang li zhang liu chen yang huang zhao wu zhou xu sun ma zhu hu guo he lin gao luo zheng liang xie song tang deng han
  feng cao peng zeng xiao tian dong pan yuan cai jiang yu du ye cheng wei su lu ding ren lv shen yao lao cui zhong tan fan shi jia
  liao wan fu zou xiong bai meng qin qiu hou yin xue yan lei long tao shao mao wen`
/** Second halves of syllables that follow an initial; what does not exist does no harm. */
const initials = 'b p m f d t n l g k h j q x zh ch sh r z c s y w'.split(' ')
const finals =
  'a o e i u v ai ei ui ao ou iu ie ue an en in un ang eng ing ong ia ua uo iao ian uan iang uang iong uai'.split(
    ' ',
  )

const split = (text: string): string[] => text.split(/\s+/).filter(Boolean)
const words: ReadonlySet<string> = new Set([
  ...split(english),
  ...split(chinese),
  ...split(surnames),
  ...initials
    .flatMap((initial) => finals.map((final) => initial + final))
    .filter((syllable) => syllable.length > 2),
])
const longest = 20

const rows = [
  '1234567890',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
]
const columns = [
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  'qazwsxedcrfvtgbyhnujmikolp',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
]
const mixed = [
  '147258369',
  '159357',
  '963852741',
  '789456123',
  '1qazxsw23edcvfr4',
  'zaq12wsxcde34rfv',
  'a1b2c3d4e5f6g7h8',
  '1a2b3c4d5e6f7g8h',
  'a1s2d3f4g5h6',
  'z1x2c3v4b5',
  'qweasdzxc',
  '12qwaszx',
]
const walks = [...rows, ...columns, ...mixed].flatMap((walk) => [
  walk,
  [...walk].reverse().join(''),
])

const isWalk = (piece: string): boolean =>
  piece.length >= 3 && walks.some((walk) => walk.includes(piece))
const isRepeat = (piece: string): boolean => /^(.{1,4})\1+$/su.test(piece)
/** A few digits, a year, a date, a number of a phone, or what sounds like love and luck. */
const isNumber = (piece: string): boolean =>
  isPattern(piece) ||
  /^(\d{1,3}|\d{4}|(19[4-9]|20[0-3])\d[01]\d[0-3]\d|\d\d[01]\d[0-3]\d|1[3-9]\d{9}|(520|521|1314|88|66|168|518|99)+)$/.test(
    piece,
  )

/** 123321, 112233. */
function isPattern(piece: string): boolean {
  if (!/^\d{6}$/.test(piece)) return false
  return piece === [...piece].reverse().join('') || /^(\d)\1(\d)\2(\d)\3$/.test(piece)
}

const leet: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'l',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}
const plain = (text: string, one: string): string =>
  text.replace(/[013457@$!]/g, (sign) => (sign === '1' ? one : (leet[sign] ?? sign)))

/**
 * `own`: words that stand near the account, in Latin letters: its name, whose it is, the
 * organisation, the phone.
 */
export function isGuessable(password: string, own: readonly string[] = []): boolean {
  const typed = password.normalize('NFKC').toLowerCase()
  const near = new Set(
    own.map((word) => word.normalize('NFKC').toLowerCase()).filter((word) => word.length >= 2),
  )
  return pieces([typed, plain(typed, 'l'), plain(typed, 'i')], near) <= mostPieces
}

/** The fewest pieces of a text, in any of its readings; signs between them are free. */
function pieces(readings: readonly string[], near: ReadonlySet<string>): number {
  const [typed = ''] = readings
  const known = (piece: string) =>
    words.has(piece) || near.has(piece) || isWalk(piece) || isRepeat(piece) || isNumber(piece)
  const fewest = [0]
  for (let end = 1; end <= typed.length; end += 1) {
    let best =
      (fewest[end - 1] as number) + (/[\s!-/:-@[-`{-~]/.test(typed[end - 1] as string) ? 0 : 1)
    for (let start = Math.max(0, end - longest); start < end - 1; start += 1) {
      const so = (fewest[start] as number) + 1
      if (so < best && readings.some((text) => known(text.slice(start, end)))) best = so
    }
    fewest[end] = best
  }
  return fewest[typed.length] as number
}
