import { Checkbox } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Output } from '../../../shared/contract.ts'
import { queryClient, readKey, useWrite } from '../../../web/api.ts'
import { call } from '../../../web/call.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { type OrganisationRow, organisations } from '../contract.ts'

type Row = Pick<OrganisationRow, 'id' | 'name' | 'version' | 'can'>

/**
 * What disabling or deleting touches; null when it could not be read (the failure is shown
 * already).
 */
const impactOf = (id: number): Promise<Output<typeof organisations.impact> | null> =>
  queryClient
    .fetchQuery({
      queryKey: readKey(organisations.impact, { id }),
      queryFn: () => call(organisations.impact, { id }),
      staleTime: 0,
    })
    .catch(() => null)

/** Enable, disable and delete: each asks with the numbers of what it touches. */
export function useActs() {
  const { t } = useTranslation(['organisations', 'web'])
  const confirm = useConfirm()
  const stale = { invalidates: ['/api/organisations', '/api/devices', '/api/organ-users'] }
  const one = useWrite(organisations.setStatus, { success: 'web:success.done', ...stale })
  const many = useWrite(organisations.setStatuses, { success: 'web:success.done', ...stale })
  const gone = useWrite(organisations.remove, { success: 'web:success.removed', ...stale })

  const askPause = async (
    title: string,
    about: string | null,
    label: string | null,
  ): Promise<{ pauseDevices: boolean } | null> => {
    let pauseDevices = false
    const content = (
      <>
        {about ? <p>{about}</p> : null}
        {label ? (
          <Checkbox
            onChange={(event) => {
              pauseDevices = event.target.checked
            }}
          >
            {label}
          </Checkbox>
        ) : null}
      </>
    )
    return (await confirm({ title, content, danger: true, ok: t('web:action.disable') }))
      ? { pauseDevices }
      : null
  }

  return {
    busy: one.isPending || many.isPending,
    async setStatus(row: Row, status: 'ENABLED' | 'DISABLED') {
      if (status === 'ENABLED') return one.mutate({ id: row.id, version: row.version, status })
      const about = await impactOf(row.id)
      if (!about) return
      const title = t('ask.disable', { n: about.children, m: about.users })
      const given = await askPause(
        title,
        row.name,
        about.operating > 0 ? t('ask.pause', { k: about.operating }) : null,
      )
      if (given) one.mutate({ id: row.id, version: row.version, status, ...given })
    },
    async setStatuses(rows: readonly Row[], status: 'ENABLED' | 'DISABLED', done: () => void) {
      const items = rows
        .filter((row) => row.can.disable)
        .map(({ id, version }) => ({ id, version }))
      const skipped = rows.length - items.length
      if (!items.length)
        return void (await confirm({
          title: t('ask.skipped', { n: skipped }),
          cancel: null,
          ok: t('web:action.understood'),
        }))
      const n = items.length
      const title = [
        t(status === 'ENABLED' ? 'ask.enableMany' : 'ask.disableMany', { n }),
        ...(skipped ? [t('ask.skipped', { n: skipped })] : []),
      ].join(' ')
      const given =
        status === 'ENABLED'
          ? (await confirm({ title }))
            ? { pauseDevices: false }
            : null
          : await askPause(title, null, t('ask.pauseMany'))
      if (given) many.mutate({ items, status, ...given }, { onSuccess: done })
    },
    async remove(row: Row) {
      const about = await impactOf(row.id)
      if (!about) return
      if (about.blocks)
        return void (await confirm({
          title: t('ask.blocked', { what: about.blocks }),
          content: row.name,
          cancel: null,
          ok: t('web:action.understood'),
        }))
      if (
        await confirm({
          title: t('ask.remove'),
          content: row.name,
          danger: true,
          ok: t('web:action.delete'),
        })
      )
        gone.mutate({ id: row.id, version: row.version })
    },
  }
}
