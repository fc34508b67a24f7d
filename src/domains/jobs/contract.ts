import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, page } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { jobLimits } from './rules.ts'
import { running } from './runningContract.ts'

export const jobErrors = defineErrors('jobs', {
  notExportable: [400001, '该列表不支持导出', 'This list cannot be exported'],
  unknownColumns: [
    400001,
    '不支持导出的列：{columns}',
    'Columns that cannot be exported: {columns}',
  ],
  tooManyRows: [
    422001,
    '共 {total} 条，一次最多导出 {most} 条，请缩小筛选范围',
    '{total} rows; at most {most} can be exported at once. Narrow the filter',
  ],
  tooManyJobs: [
    429001,
    '您已有 {most} 个任务在排队或运行，请稍后再试',
    'You already have {most} jobs waiting or running; try again later',
  ],
  notCancellable: [409001, '任务已结束，无法取消', 'The job has ended and cannot be cancelled'],
  notRetryable: [
    409001,
    '只有失败或已取消的导出可以重试',
    'Only failed or cancelled exports can be tried again',
  ],
  ownerClosed: [
    422001,
    '账号或所属机构已停用，导出未执行',
    'The account or its organisation is disabled; nothing was exported',
  ],
  rightLost: [
    422001,
    '导出权限已被收回，导出未执行',
    'The right to export was taken back; nothing was exported',
  ],
  madeWithMore: [
    403001,
    '该文件导出时您的权限或数据范围比现在大，不能下载，请重新导出',
    'This file was made with more rights or a wider scope than you have now; export it again',
  ],
  fileGone: [404001, '文件不存在或已过期', 'The file does not exist or has expired'],
  // imports
  fileType: [415001, '只支持 xlsx 或 csv 文件', 'Only xlsx or csv files are supported'],
  fileTooLarge: [413001, '文件不能超过8M', 'The file must not exceed 8M'],
  fileBroken: [400001, '文件已损坏，无法读取', 'The file is damaged and cannot be read'],
  fileUnsafe: [
    400001,
    '文件解压后过大，无法导入',
    'The file unpacks to too much and cannot be imported',
  ],
  tooManyLines: [
    400001,
    '文件行数过多，最多1000行数据，连空行最多2000行',
    'Too many lines: at most 1000 rows, 2000 lines with the blank ones',
  ],
  cellTooLong: [
    400001,
    '单元格内容过长，最多32767个字符',
    'A cell is too long: at most 32767 characters',
  ],
  tooMuchText: [
    400001,
    '文件内容过多，总计最多400万个字符',
    'The file says too much: at most 4 million characters in all',
  ],
  fileTooComplex: [
    400001,
    '文件内容过于复杂，无法在限定时间内读取',
    'The file is too complex to be read in the time there is',
  ],
  noFile: [400001, '请选择一个文件', 'Choose one file'],
  notMultipart: [415001, '请以表单方式上传文件', 'Send the file as multipart form data'],
  wrongTemplate: [400001, '模板不正确', 'This is not the template'],
  noRows: [
    400001,
    '文件中没有数据，一次最多导入1000行',
    'The file has no rows; import from 1 to 1000 at a time',
  ],
  wrongRowCount: [400001, '一次最多导入1000行', 'Import from 1 to 1000 rows at a time'],
  rowsRefused: [
    400001,
    '共 {failed} 行有误，未导入任何数据',
    '{failed} rows are wrong; nothing was imported',
  ],
  importedAlready: [409001, '请勿重复导入', 'This file was imported a moment ago'],
  noSchedule: [404001, '任务不存在', 'There is no such schedule'],
})

export const JobState = z.enum(['QUEUED', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED']).meta({
  tones: {
    QUEUED: 'offline',
    RUNNING: 'shipped',
    DONE: 'success',
    FAILED: 'fault',
    CANCELLED: 'closed',
  },
})
const JobKind = z.enum(['EXPORT', 'IMPORT'])
const count = z.number().int().min(0)

export const JobRow = z.strictObject({
  id: f.id,
  kind: JobKind,
  /** What is written or read, in the language of the reader. */
  title: z.string(),
  state: JobState,
  total: count,
  done: count,
  failed: count,
  /** Why it failed, in the language of the reader. */
  error: z.string(),
  fileName: z.string().nullable(),
  fileBytes: count.nullable(),
  expireTime: f.instant.nullable(),
  createTime: f.instant,
  finishTime: f.instant.nullable(),
  can: z.strictObject({ cancel: z.boolean(), retry: z.boolean(), download: z.boolean() }),
})
export type JobRow = z.infer<typeof JobRow>
export const RowFault = z.strictObject({
  row: count,
  column: z.string(),
  title: z.string(),
  message: z.string(),
})
export type RowFault = z.infer<typeof RowFault>

const byId = z.strictObject({ id: f.id })
const scheduleName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,99}$/, bi('任务不存在', 'There is no such schedule'))
const byName = z.strictObject({ name: scheduleName })
const kind = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,49}$/, bi('导入类型不正确', 'Unknown kind of import'))

export const ConsoleSchedule = z.strictObject({
  name: z.string(),
  cron: z.string(),
  paused: z.boolean(),
  pausedBy: z.string().nullable(),
  lastRun: f.instant.nullable(),
  lastState: z.enum(['WAITING', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED']).nullable(),
  lastError: z.string(),
  lastSeconds: z.number().nullable(),
  nextRun: f.instant.nullable(),
  waiting: count,
  running: count,
  failed: count,
})
export type ConsoleSchedule = z.infer<typeof ConsoleSchedule>
export const ConsoleLoop = z.strictObject({
  name: z.string(),
  process: z.string(),
  everyMs: count,
  runs: count,
  failures: count,
  lastRun: f.instant.nullable(),
  lastMs: count.nullable(),
  lastError: z.string(),
  lastErrorTime: f.instant.nullable(),
  told: f.instant,
})
export type ConsoleLoop = z.infer<typeof ConsoleLoop>

export const jobs = {
  list: read('self', {
    path: '/jobs',
    summary: 'Own exports and imports',
    input: listQuery(
      { kind: JobKind.optional(), state: JobState.optional() },
      ['createTime'],
      '-createTime',
    ),
    output: page(JobRow),
  }),
  running,
  get: read('self', { path: '/jobs/{id}', summary: 'One own job', input: byId, output: JobRow }),
  faults: read('self', {
    path: '/jobs/{id}/faults',
    summary: 'The rows of an own import that were refused, the first 200',
    input: byId,
    output: z.strictObject({ list: z.array(RowFault) }),
  }),
  cancel: write('self', {
    path: '/jobs/{id}/cancel',
    summary: 'Stop an own job that waits or runs',
    audit: 'jobs.cancel',
    errors: [jobErrors.notCancellable],
    input: byId,
    output: JobRow,
  }),
  retry: write('self', {
    path: '/jobs/{id}/retry',
    summary: 'Run an own failed or cancelled export again',
    audit: 'jobs.retry',
    errors: [jobErrors.notRetryable, jobErrors.tooManyJobs],
    input: byId,
    output: JobRow,
  }),
  export: write('self', {
    path: '/exports',
    summary:
      'Write a whole list to an Excel file in the background; needs the export and the read permission of that list',
    audit: 'jobs.export',
    idempotent: true,
    errors: [
      jobErrors.notExportable,
      jobErrors.unknownColumns,
      jobErrors.tooManyRows,
      jobErrors.tooManyJobs,
    ],
    input: z.strictObject({
      /** Path of the list as its contract writes it, e.g. `/api/devices`. */
      endpoint: z.string().min(1).max(100),
      query: z
        .record(z.string().max(60), z.unknown())
        .refine(
          (value) => JSON.stringify(value).length <= 8192,
          bi('筛选条件过长', 'The filter is too long'),
        ),
      columns: z.array(z.string().min(1).max(60)).min(1).max(60),
    }),
    output: JobRow,
  }),
  importInfo: read('self', {
    path: '/imports/{kind}',
    summary: 'What a file of this kind consists of; needs the permission of the import',
    input: z.strictObject({ kind }),
    output: z.strictObject({
      title: z.string(),
      most: count,
      columns: z.array(
        z.strictObject({
          key: z.string(),
          title: z.string(),
          required: z.boolean(),
          example: z.string(),
          note: z.string(),
        }),
      ),
    }),
  }),
  import: write('self', {
    path: '/imports/{kind}',
    summary: `Import an xlsx or csv file, field \`file\`, at most ${jobLimits.importRows} rows: all of it or nothing. dryRun only checks`,
    audit: 'jobs.import',
    fresh: 'sometimes',
    upload: true,
    errors: [
      jobErrors.fileType,
      jobErrors.fileTooLarge,
      jobErrors.fileBroken,
      jobErrors.fileUnsafe,
      jobErrors.tooManyLines,
      jobErrors.cellTooLong,
      jobErrors.tooMuchText,
      jobErrors.fileTooComplex,
      jobErrors.noFile,
      jobErrors.notMultipart,
      jobErrors.wrongTemplate,
      jobErrors.noRows,
      jobErrors.wrongRowCount,
      jobErrors.rowsRefused,
      jobErrors.importedAlready,
    ],
    input: z.strictObject({ kind, dryRun: z.boolean().default(false) }),
    output: z.strictObject({
      jobId: f.id.nullable(),
      total: count,
      failed: count,
      faults: z.array(RowFault),
      /**
       * What the importer gives this once and never keeps, as a file when it has a name: the first
       * passwords of imported people.
       */
      once: z
        .strictObject({ label: z.string(), fileName: z.string().optional(), text: z.string() })
        .optional(),
    }),
  }),
  console: read('job-console:read', {
    path: '/job-console',
    summary: 'Schedules and loops of all processes',
    output: z.strictObject({ schedules: z.array(ConsoleSchedule), loops: z.array(ConsoleLoop) }),
  }),
  runNow: write('job-console:update', {
    path: '/job-console/{name}/run',
    summary: 'Run a schedule now, paused or not',
    audit: 'jobs.runNow',
    errors: [jobErrors.noSchedule],
    input: byName,
    output: f.done,
  }),
  retryFailed: write('job-console:update', {
    path: '/job-console/{name}/retry',
    summary: 'Run the failed runs of a schedule again',
    audit: 'jobs.retryFailed',
    errors: [jobErrors.noSchedule],
    input: byName,
    output: z.strictObject({ count }),
  }),
  pause: write('job-console:update', {
    path: '/job-console/{name}/pause',
    summary: 'A paused schedule is not obeyed by any process',
    audit: 'jobs.pause',
    errors: [jobErrors.noSchedule],
    input: byName,
    output: f.done,
  }),
  resume: write('job-console:update', {
    path: '/job-console/{name}/resume',
    summary: 'Obey a schedule again',
    audit: 'jobs.resume',
    errors: [jobErrors.noSchedule],
    input: byName,
    output: f.done,
  }),
}
