import { useTranslation } from 'react-i18next'
import { useWrite } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { translate } from '../../../web/i18n.ts'
import type { Selection } from '../../../web/list/types.ts'
import { toast } from '../../../web/toast.ts'
import { type OrganUserRow, users } from '../contract.ts'

type Status = OrganUserRow['status']

/** What a row can be asked to do besides dialogs: one question, one call. */
export function useActs() {
  const { t } = useTranslation('users')
  const confirm = useConfirm()
  const status = useWrite(users.setStatus, { success: 'users:success.status' })
  const many = useWrite(users.batchStatus, { success: 'users:success.status' })
  const logout = useWrite(users.logout, { success: 'users:success.logout' })
  const resetFactor = useWrite(users.resetFactor, { success: 'users:success.resetFactor' })
  const unbind = useWrite(users.unbindWechat, { success: 'users:success.unbind' })
  const remove = useWrite(users.remove, { success: 'users:success.remove' })
  const sure = (question: string, row: OrganUserRow) => confirm({ title: t(question), content: `${row.realName} (${row.username})`, danger: true })
  return {
    busy: status.isPending,
    async setStatus(row: OrganUserRow, next: Status) {
      if (next === 'ENABLED' || (await sure('disableAsk', row))) status.mutate({ id: row.id, status: next })
    },
    async logout(row: OrganUserRow) {
      if (await sure('logoutAsk', row)) logout.mutate({ id: row.id })
    },
    async resetFactor(row: OrganUserRow) {
      if (await sure('resetFactorAsk', row)) resetFactor.mutate({ id: row.id })
    },
    async unbind(row: OrganUserRow) {
      if (await sure('unbindAsk', row)) unbind.mutate({ id: row.id })
    },
    async remove(row: OrganUserRow) {
      if (await sure('removeAsk', row)) remove.mutate({ id: row.id, version: row.version })
    },
    /** Says first who is left out: not his to change, himself, or so already. */
    async setMany({ rows, clear }: Selection<OrganUserRow>, next: Status) {
      const open = rows.filter((row) => row.can.status && row.status !== next)
      if (open.length === 0) return toast('info', translate('users:nobodyLeft'))
      const left = rows.length - open.length
      const title = t(next === 'DISABLED' ? 'disableAskMany' : 'enableAskMany', { n: open.length })
      if (await confirm({ title, danger: next === 'DISABLED', ...(left ? { content: t('skipped', { n: left }) } : {}) }))
        many.mutate({ ids: open.map((row) => row.id), status: next }, { onSuccess: clear })
    },
  }
}
