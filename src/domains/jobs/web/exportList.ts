import { exportKeys } from '../../../shared/exportFields.ts'
import { queryClient } from '../../../web/api.ts'
import { call, messageOf, newKey } from '../../../web/call.ts'
import { download } from '../../../web/download.ts'
import { hasText, registerLocale, translate } from '../../../web/i18n.ts'
import { formatCount } from '../../../web/Money.tsx'
import type { ExportWish } from '../../../web/product.ts'
import { toast } from '../../../web/toast.ts'
import { jobs } from '../contract.ts'
import { locale } from '../locale.ts'
import { jobLimits } from '../rules.ts'

registerLocale('jobs', locale)

/** Small files come at once; what takes longer than this is fetched from My downloads. */
const patience = 2000

/** The list as it is shown, filter and columns, as a file. Loaded with the first export. */
export async function exportList({
  endpoint,
  ns,
  query,
  columns,
  total,
  confirm,
}: ExportWish): Promise<void> {
  const can = exportKeys(endpoint)
  const wanted = columns.filter((key) => can.includes(key) && hasText(`${ns}:fields.${key}`))
  if (total === 0) return toast('info', translate('jobs:exporting.nothing'))
  if (wanted.length === 0) return toast('info', translate('jobs:exporting.noColumns'))
  const large = total > jobLimits.quickRows
  const question = {
    title: translate('jobs:exporting.ask', { count: formatCount(total) }),
    content: translate('jobs:exporting.askHint'),
    ok: translate('jobs:exporting.ok'),
  }
  if (large && !(await confirm(question))) return
  try {
    const job = await call(
      jobs.export,
      { endpoint: endpoint.path, query, columns: wanted },
      { idempotencyKey: newKey() },
    )
    void queryClient.invalidateQueries({ queryKey: [jobs.running.path] })
    if (!large && (await finished(job.id))) return await download(`api/jobs/${job.id}/file`)
    toast('success', translate('jobs:exporting.later'))
  } catch (error) {
    toast('error', messageOf(error))
  } finally {
    void queryClient.invalidateQueries({ queryKey: [jobs.list.path] })
  }
}

async function finished(id: number): Promise<boolean> {
  for (const deadline = performance.now() + patience; performance.now() < deadline; ) {
    await new Promise((resolve) => setTimeout(resolve, 200))
    const { state, error } = await call(jobs.get, { id })
    if (state === 'DONE') return true
    if (state === 'FAILED')
      throw {
        kind: 'refused',
        code: 0,
        error: '',
        message: error,
        requestId: undefined,
        errors: [],
      }
  }
  return false
}
