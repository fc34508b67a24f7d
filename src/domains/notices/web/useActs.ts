import { useTranslation } from 'react-i18next'
import { call, messageOf } from '../../../web/call.ts'
import { toast } from '../../../web/toast.ts'
import { useAct } from '../../../web/useAct.ts'
import { type NoticeRow, notices } from '../contract.ts'

const invalidates = ['/api/notices', '/api/messages']
const name = (row: NoticeRow) => row.title

/** What can be done with a notice from its list, with the questions before it. */
export function useActs() {
  const { t } = useTranslation('notices')
  const publish = useAct(notices.publish, {
    ask: ({ reach }: NoticeRow & { reach: number }) => t('publishAsk', { n: reach }),
    name,
    ok: t('publish'),
    danger: false,
    invalidates,
  })
  return {
    async publish(row: NoticeRow) {
      try {
        const notice = await call(notices.get, { id: row.id })
        const { toAll, withSubtree, orgIds, roleIds, userIds, orgId } = notice
        const to = { toAll, withSubtree, orgIds, roleIds, userIds, orgId }
        const { count: reach } = await call(notices.audience, to)
        await publish({ ...row, reach }, { immediately: true })
      } catch (error) {
        toast('error', messageOf(error))
      }
    },
    withdraw: useAct(notices.withdraw, {
      ask: t('withdrawAsk'),
      name,
      ok: t('withdraw'),
      invalidates,
    }),
    pin: useAct(notices.pin, {}),
  }
}
