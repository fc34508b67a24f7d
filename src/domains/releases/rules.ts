import { defineErrors, type ErrorDef } from '../../shared/errors.ts'
import { defineStates } from '../../shared/moves.ts'

export const kinds = ['APK', 'FIRMWARE'] as const
export type ReleaseKind = (typeof kinds)[number]
/** Of a file that is uploaded; a larger one is a link. */
export const packageLimit = 8 * 1024 * 1024

export const releaseErrors = defineErrors('releases', {
  fileTooLarge: [413001, '文件大小不能超过8M', 'The file must not exceed 8M'],
  noFile: [400001, '请选择应用文件', 'Choose a file'],
  notMultipart: [415001, '请以表单方式上传文件', 'Send the file as multipart form data'],
  notApk: [415001, '不是有效的 APK 文件', 'Not an APK'],
  notFirmware: [415001, '不是有效的固件文件', 'Not a firmware file'],
  noManifest: [
    422001,
    '无法从 APK 中读取包名和版本',
    'The APK does not say its package and version',
  ],
  codeTooLow: [
    422001,
    '版本码必须大于当前最新版本 {n}',
    'The version code must be above that of the newest, {n}',
  ],
  codeTaken: [409004, '该版本码已存在', 'There is a version of this code'],
  fileOrLink: [400001, '请选择应用文件或填写下载链接', 'Choose a file or give a link'],
  fileFixed: [422001, '发布后只能修改版本说明', 'Of a published version only the notes change'],
  wrongState: [409001, '当前状态不能执行该操作', 'Not possible in the present state'],
  hasHistory: [
    409003,
    '版本已有升级记录，无法删除',
    'The version was rolled out and cannot be deleted',
  ],
  badSignature: [
    422230,
    '签名校验失败',
    'The signature does not belong to this manifest or its key is not known',
  ],
  expired: [422231, '签名清单已过期，请重新签发', 'The manifest is over: issue another one'],
  notSigned: [422232, '版本没有有效的签名清单', 'The version has no valid signed manifest'],
  noDowngrade: [
    422233,
    '降级需要签名清单允许降级，请先重新签发',
    'Going back needs a manifest that is signed for it',
  ],
  noneFits: [422234, '所选设备均不能升级', 'None of these machines can take it'],
  inRollout: [409103, '设备正在执行其他升级任务', 'A machine is in another roll-out'],
  firstTooLarge: [
    422235,
    '首批比例不能超过20%',
    'The first stage must not exceed 20 % of more than 20 machines',
  ],
  stageOrder: [
    400001,
    '各批次比例须递增且最后一批为100%',
    'Shares grow from stage to stage, up to 100 %',
  ],
  samePerson: [422236, '复核人不能是申请人本人', 'Somebody else has to approve it'],
  noPrevious: [422237, '没有可回退的版本', 'There is no version to go back to'],
  nothingFailed: [422238, '没有可重试的设备', 'No machine has failed'],
})

export const versionStateNames = ['DRAFT', 'PUBLISHED', 'WITHDRAWN'] as const
export type VersionState = (typeof versionStateNames)[number]
export const versionStates = defineStates<VersionState>({
  name: 'releases.version',
  column: 'release_versions.state',
  start: ['DRAFT'],
  moves: { DRAFT: ['PUBLISHED'], PUBLISHED: ['WITHDRAWN'], WITHDRAWN: ['PUBLISHED'] },
})

/** Three numbers, then perhaps a word: 5.12.0, 5.13.0-rc1. */
export const versionForm = /^\d{1,6}\.\d{1,6}\.\d{1,6}([.-][\w.]{1,20})?$/
/**
 * Below, equal or above; by numbers, and of equal ones the plain one is above those with a word
 * after a dash.
 */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [partsOf(a), partsOf(b)]
  for (let i = 0; i < 4; i += 1) {
    const d = (one.numbers[i] ?? 0) - (other.numbers[i] ?? 0)
    if (d) return Math.sign(d)
  }
  if (one.word === other.word) return 0
  if (!one.word || !other.word) return one.word ? -1 : 1
  return one.word < other.word ? -1 : 1
}
function partsOf(version: string): { numbers: number[]; word: string } {
  const [numbers = '', ...words] = version.split('-')
  return {
    numbers: numbers.split('.').map((n) => Number.parseInt(n, 10) || 0),
    word: words.join('-'),
  }
}

type Version = { readonly state: VersionState }
/** Everything of a draft; of what machines may run only the words. */
export const removable = (version: Version): ErrorDef | null =>
  version.state === 'DRAFT' ? null : releaseErrors.wrongState
export const withdrawable = (version: Version): ErrorDef | null =>
  version.state === 'PUBLISHED' ? null : releaseErrors.wrongState
