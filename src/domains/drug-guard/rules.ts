import { defineErrors, type ErrorDef } from '../../shared/errors.ts'

/**
 * Which drug may be placed, loaded and sold where: the one place that knows. Server, browser and
 * phone ask the same function with what they know of the moment.
 */
export const guardErrors = defineErrors('drugGuard', {
  vendingRefused: [
    422001,
    '该药品不可在自动售货机销售',
    'This drug must not be sold by a vending machine',
  ],
  otcBRefused: [
    422001,
    '该设备不允许销售此类药品：乙类非处方药',
    'This device must not sell class B OTC drugs',
  ],
  noLicence: [
    422001,
    '设备无有效药品经营许可，不能销售药品',
    'The machine has no valid drug licence and cannot sell drugs',
  ],
  otcARefused: [
    422001,
    '该设备不允许销售此类药品：甲类非处方药',
    'This device must not sell class A OTC drugs',
  ],
  rxRefused: [
    422001,
    '该设备不允许销售此类药品：处方药',
    'This device must not sell prescription drugs',
  ],
  prescriptionMissing: [422001, '请先取得有效处方', 'A valid prescription is needed first'],
  specialForbidden: [
    422001,
    '该药品禁止自助销售',
    'This drug must not be sold without a pharmacist',
  ],
  identityMissing: [
    422001,
    '购买该药品须登记购买人身份信息',
    'This drug is sold to those who say who they are',
  ],
  specialLimit: [
    422001,
    '超过特殊药品限购数量',
    'More than one person may buy of such drugs in a day',
  ],
  incomplete: [422001, '药品资料不完整', 'The data of this drug are incomplete'],
  outsideStorage: [
    422001,
    '超出商品存储温度要求',
    'The machine may become warmer or colder than this drug may',
  ],
  excursionOpen: [
    422001,
    '温度异常待质量处理',
    'It was too warm or cold: somebody has to decide about the goods',
  ],
  batchMissing: [422001, '请选择批次', 'Choose a batch'],
  batchRecalled: [422134, '该批次已召回', 'This batch is recalled'],
  batchExpired: [
    422135,
    '该批次已过期，不能补货',
    'This batch is past its date and cannot be loaded',
  ],
  codesMismatch: [
    422001,
    '追溯码数量与补货数量不一致',
    'The number of trace codes is not the number of pieces',
  ],
  codesApart: [
    422001,
    '商品追溯码与数量不符，暂停销售',
    'Trace codes and pieces do not agree: not sold for now',
  ],
  noPromotion: [422001, '药品不参与营销活动', 'Drugs take no part in promotions'],
})
/** What keeps a drug out of a lane. */
export const placeErrors: readonly ErrorDef[] = [
  guardErrors.vendingRefused,
  guardErrors.otcBRefused,
  guardErrors.noLicence,
  guardErrors.otcARefused,
  guardErrors.rxRefused,
  guardErrors.specialForbidden,
  guardErrors.incomplete,
  guardErrors.outsideStorage,
]
export type GuardKey = keyof typeof guardErrors
const ruleOf: Readonly<Record<GuardKey, number>> = {
  vendingRefused: 1,
  otcBRefused: 1,
  noLicence: 1,
  otcARefused: 2,
  rxRefused: 2,
  prescriptionMissing: 2,
  specialForbidden: 3,
  identityMissing: 3,
  specialLimit: 3,
  incomplete: 4,
  outsideStorage: 5,
  excursionOpen: 5,
  batchMissing: 6,
  batchRecalled: 6,
  batchExpired: 6,
  codesMismatch: 7,
  codesApart: 7,
  noPromotion: 8,
}
export type Verdict = { ok: true } | { ok: false; rule: number; key: GuardKey }
const fine: Verdict = { ok: true }
export const verdictOf = (key: GuardKey): Verdict => ({ ok: false, rule: ruleOf[key], key })
export const isGuardKey = (name: string): name is GuardKey => name in guardErrors
export const verdictError = (verdict: Verdict): ErrorDef | null =>
  verdict.ok ? null : guardErrors[verdict.key]

/** Why lanes are stopped for the sake of their goods: what waits to leave them does not. */
export const stoppingLocks = [
  'COMPLIANCE',
  'EXPIRY',
  'RECALL',
  'TEMPERATURE',
  'TRACE_CODE',
  'WRONG_PRODUCT',
] as const

export const guardActs = [
  'PLACE',
  'COPY',
  'PRICE',
  'RESTOCK',
  'CHECKOUT',
  'VEND',
  'NIGHTLY',
  'MODE',
] as const
export const dispensingModes = ['UNATTENDED', 'PHARMACIST', 'MEDICAL'] as const
export type DispensingMode = (typeof dispensingModes)[number]

/** Null: no bound on this side. */
export type TempRange = { readonly tempMin: number | null; readonly tempMax: number | null }
/** What is asked of a drug; of other goods nothing is. */
export type Goods = {
  readonly drugClass: string
  readonly drug:
    | (TempRange & {
        readonly approvalNo: string | null
        readonly dosageForm: string | null
        readonly manufacturer: string
        /** Compound preparations with special drugs, as ephedrine. */
        readonly special: boolean
      })
    | null
}
/** What is asked of a machine that sells drugs; `tempMin` and `tempMax`: the limits it keeps. */
export type Place = {
  readonly kind: string
  readonly dispensingMode: string | null
  readonly site:
    | (TempRange & {
        /** The day it is asked, in Shanghai. */
        readonly today: string
        readonly licenceNo: string
        /** Null: nobody has said how long it holds. */
        readonly licenceUntil: string | null
        /** It is for the place where the machine stands. */
        readonly licenceFits: boolean
        /** Somebody with a licence is there now. */
        readonly pharmacist: boolean
      })
    | null
}
export type Sale = {
  readonly prescription: boolean
  /** The buyer said who he is. */
  readonly identified: boolean
  /** Of drugs with special compounds today by this person, with these, and how many he may have. */
  readonly packs: number
  readonly most: number
}
/** Nobody has said who he is, or shown a prescription: consultations will say so of their orders. */
export const anyBuyer: Sale = { prescription: false, identified: false, packs: 0, most: 0 }
/** Whose packs were counted when they were sold, or are when he orders them. */
export const registeredBuyer: Sale = { ...anyBuyer, identified: true }
export type Batch = { readonly recalled: boolean; readonly past: boolean }
/** Of a lane whose goods leave with their trace codes; null: they need none. */
export type Queue = { readonly codes: number; readonly pieces: number } | null
export const codesAgree = (queue: Queue): boolean => !queue || queue.codes === queue.pieces
export type Moment = {
  /** Somebody buys it, or it is about to leave. */
  readonly sale?: Sale
  /** What stands in the lane then. */
  readonly queue?: Queue
  /** The lane was too warm or cold, and nobody has decided about its goods. */
  readonly excursion?: boolean
  readonly load?: {
    readonly pieces: number
    /** Undefined: none, or one of other goods. */
    readonly batch: Batch | undefined
    readonly batchNamed: boolean
    readonly codes: number
    readonly traceRequired: boolean
    /** It was done away from the network: the goods are booked, and their lane is locked. */
    readonly inside: boolean
  }
  /** Of a red packet, a member's price, an activity or a gift. */
  readonly promotion?: boolean
}

/** The limits of a machine that cools, until somebody sets others. */
export const usualTemperature = { min: 2, max: 8 } as const
/** Drugs that must be kept as cold: where nothing cools they cannot be. */
export const coldChainMax = usualTemperature.max
/** A pharmacist who is silent for longer is not there. */
export const dutySeconds = 180

export function canPlace(goods: Goods, place: Place, moment: Moment = {}): Verdict {
  const { load, queue = null } = moment
  const key =
    (goods.drugClass === 'NONE' || load?.inside ? null : drugRule(goods, place, moment)) ??
    (load ? loadRule(goods, load) : null) ??
    (codesAgree(queue) ? null : 'codesApart')
  return key ? verdictOf(key) : fine
}

/** Rules 1 to 5 and 8. */
function drugRule(goods: Goods, place: Place, moment: Moment): GuardKey | null {
  return (
    licenceRule(goods, place) ??
    classRule(goods, place, moment) ??
    specialRule(goods, place, moment) ??
    dataRule(goods) ??
    temperatureRule(goods, place, moment) ??
    (moment.promotion ? 'noPromotion' : null)
  )
}

function licenceRule({ drugClass }: Goods, { kind, site }: Place): GuardKey | null {
  if (kind !== 'DRUG') return drugClass === 'OTC_B' ? 'otcBRefused' : 'vendingRefused'
  const holds = site && (!site.licenceUntil || site.licenceUntil >= site.today)
  return site?.licenceNo && site.licenceFits && holds ? null : 'noLicence'
}

/**
 * Placing asks for the mode alone; a sale, whether the pharmacist is there: without him the machine
 * is unattended, and its lanes are not locked every night for it.
 */
const modeOf = (place: Place, { sale }: Moment): string | null =>
  place.dispensingMode === 'PHARMACIST' && sale && !place.site?.pharmacist
    ? 'UNATTENDED'
    : place.dispensingMode

function classRule({ drugClass }: Goods, place: Place, moment: Moment): GuardKey | null {
  if (drugClass === 'OTC_B') return null
  const mode = modeOf(place, moment)
  if (drugClass === 'OTC_A')
    return mode === 'PHARMACIST' || mode === 'MEDICAL' ? null : 'otcARefused'
  if (mode !== 'MEDICAL') return 'rxRefused'
  return moment.sale && !moment.sale.prescription ? 'prescriptionMissing' : null
}

function specialRule({ drug }: Goods, place: Place, moment: Moment): GuardKey | null {
  if (!drug?.special) return null
  const mode = modeOf(place, moment)
  if (mode === 'MEDICAL') return null
  if (mode !== 'PHARMACIST') return 'specialForbidden'
  const { sale } = moment
  if (!sale) return null
  if (!sale.identified) return 'identityMissing'
  return sale.packs > sale.most ? 'specialLimit' : null
}

const dataRule = ({ drug }: Goods): GuardKey | null =>
  drug?.approvalNo && drug.dosageForm && drug.manufacturer ? null : 'incomplete'

function temperatureRule({ drug }: Goods, place: Place, moment: Moment): GuardKey | null {
  const limits = place.site ?? { tempMin: null, tempMax: null }
  const cools = limits.tempMin !== null && limits.tempMax !== null
  if (drug && !(cools ? keptWithin(drug, limits) : (drug.tempMax ?? 99) > coldChainMax))
    return 'outsideStorage'
  return moment.excursion ? 'excursionOpen' : null
}

/** Limits under which goods of this range become neither too cold nor too warm. */
export const keptWithin = (range: TempRange, { tempMin, tempMax }: TempRange): boolean =>
  (range.tempMin === null || tempMin === null || tempMin >= range.tempMin) &&
  (range.tempMax === null || tempMax === null || tempMax <= range.tempMax)

/** Rules 6 and 7, of all goods. */
function loadRule(goods: Goods, load: NonNullable<Moment['load']>): GuardKey | null {
  const { batch, codes, inside } = load
  if (!batch && (load.batchNamed || goods.drugClass !== 'NONE' || load.traceRequired || codes > 0))
    return 'batchMissing'
  const coded = load.traceRequired || codes > 0
  if (coded && codes !== load.pieces && !inside) return 'codesMismatch'
  if (batch?.recalled && !inside) return 'batchRecalled'
  return batch?.past && !inside ? 'batchExpired' : null
}

/**
 * The licence must be for the place where the machine stands: county, and city or province, occur
 * in its address.
 */
export function licenceMatches(
  device: { kind: string; licenceAddress: string },
  regionNames: readonly string[],
): boolean {
  if (device.kind !== 'DRUG') return true
  const [province = '', city = '', county = ''] = regionNames
  return (
    device.licenceAddress.includes(county) &&
    [province, city].some((name) => device.licenceAddress.includes(name))
  )
}
