import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../web/api.ts'
import { registerLocale } from '../../../web/i18n.ts'
import { Skeleton } from '../../../web/Problem.tsx'
import { Modal } from '../../../web/ui/overlay.tsx'
import { locale } from '../locale.ts'
import { messageEndpoints } from '../messageContract.ts'
import { Letter } from './Letter.tsx'

registerLocale('notices', locale)

const { message, markRead, confirm } = messageEndpoints

/** An announcement over the page: until it is closed, or until it is confirmed where it must be. */
export function Popup({ id }: { id: number }) {
  const { t } = useTranslation(['notices', 'web'])
  const read = useRead(message, { id }, { inline: true })
  const mark = useWrite(markRead)
  const agree = useWrite(confirm, { success: 'web:success.done' })
  const found = read.data
  // withdrawn in this moment, or the network is gone: nothing to show, and nobody is held up
  if (read.error) return null
  const must = found?.mustConfirm === true
  const busy = mark.isPending || agree.isPending
  const done = () => (must ? agree.mutate({ id }) : mark.mutate({ ids: [id] }))
  return (
    <Modal
      open
      title={t('enums.kind.ANNOUNCEMENT')}
      width={640}
      closable={!must}
      keyboard={!must}
      mask={{ closable: false }}
      onCancel={done}
      footer={
        <Button type="primary" disabled={!found} loading={busy} onClick={done}>
          {t(must ? 'inbox.confirm' : 'web:action.close')}
        </Button>
      }
    >
      {found ? (
        <Letter {...found} text={found.content} time={found.createTime} />
      ) : (
        <Skeleton rows={4} />
      )}
    </Modal>
  )
}
