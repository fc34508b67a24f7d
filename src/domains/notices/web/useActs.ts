import { useTranslation } from 'react-i18next'
import { useWrite } from '../../../web/api.ts'
import { call, messageOf } from '../../../web/call.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { toast } from '../../../web/toast.ts'
import { type NoticeRow, notices } from '../contract.ts'

/** What can be done with a notice from its list, with the questions before it. */
export function useActs() {
  const { t } = useTranslation('notices')
  const confirm = useConfirm()
  const publish = useWrite(notices.publish, { success: 'notices:success.publish', invalidates: ['/api/notices', '/api/messages'] })
  const withdraw = useWrite(notices.withdraw, { success: 'notices:success.withdraw', invalidates: ['/api/notices', '/api/messages'] })
  const remove = useWrite(notices.remove, { success: 'notices:success.remove' })
  const pin = useWrite(notices.pin, { success: 'notices:success.pin' })
  return {
    async publish(row: NoticeRow) {
      try {
        const { toAll, withSubtree, orgIds, roleIds, userIds, orgId } = await call(notices.get, { id: row.id })
        const { count } = await call(notices.audience, { toAll, withSubtree, orgIds, roleIds, userIds, orgId })
        if (await confirm({ title: t('publishAsk', { n: count }), content: row.title, ok: t('publish') }))
          publish.mutate({ id: row.id, version: row.version, immediately: true })
      } catch (error) {
        toast('error', messageOf(error))
      }
    },
    async withdraw(row: NoticeRow) {
      if (await confirm({ title: t('withdrawAsk'), content: row.title, ok: t('withdraw'), danger: true })) withdraw.mutate({ id: row.id })
    },
    async remove(row: NoticeRow) {
      if (await confirm({ title: t('removeAsk'), content: row.title, danger: true })) remove.mutate({ id: row.id, version: row.version })
    },
    pin: (row: NoticeRow) => pin.mutate({ id: row.id, pinned: !row.pinned }),
  }
}
