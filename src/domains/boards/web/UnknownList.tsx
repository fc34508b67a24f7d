import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useWrite } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { useConfirm } from '../../../web/confirm.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useMay } from '../../../web/session.ts'
import { Muted } from '../../../web/ui/Text.tsx'
import { type BoardSecret, boards, UnknownBoard } from '../contract.ts'

const ClaimDialog = lazyDialog(() => import('./ClaimDialog.tsx').then((m) => m.ClaimDialog))
const SecretDialog = lazyDialog(() => import('./Dialogs.tsx').then((m) => m.SecretDialog))

/**
 * Boards that wanted in and that nobody registered: somebody of the platform claims or ignores
 * them.
 */
export function UnknownList() {
  const { t } = useTranslation('boards')
  const col = useCols(UnknownBoard, 'boards')
  const may = useMay()
  const navigate = useNavigate()
  const confirm = useConfirm()
  const [claimed, setClaimed] = useState<UnknownBoard | null>(null)
  const [secret, setSecret] = useState<BoardSecret | null>(null)
  const ignore = useWrite(boards.ignore, { success: 'boards:success.ignore' })
  const restore = useWrite(boards.restore, { success: 'boards:success.restore' })
  const askIgnore = async ({ id, boardNo }: UnknownBoard) => {
    const ok = t('unknown.ignore')
    if (await confirm({ title: t('unknown.ignoreAsk'), content: boardNo, ok }))
      ignore.mutate({ id })
  }
  return (
    <>
      <ListPage
        ns="boards"
        endpoint={boards.unknown}
        live="unknown-boards"
        header={
          may('main-board:read') ? (
            <Button onClick={() => navigate('/device/main-board')}>{t('unknown.toBoards')}</Button>
          ) : null
        }
        notice={<Muted>{t('unknown.hint')}</Muted>}
        empty={{ title: t('unknown.empty') }}
        views={[
          { key: 'open', label: t('unknown.views.open'), query: {} },
          { key: 'ignored', label: t('unknown.views.ignored'), query: { ignored: true } },
        ]}
        filters={['boardNo']}
        columns={[
          col('boardNo'),
          col('via', { tones: {} }),
          col('address'),
          col('tries'),
          col('firstSeenAt'),
          col('lastSeenAt', { title: t('unknown.lastSeen') }),
          col('model'),
          col('fwVersion'),
          col('iccid'),
        ]}
        actions={(row) => [
          {
            key: 'claim',
            label: t('unknown.claim'),
            can: row.can.claim,
            onClick: () => setClaimed(row),
          },
          {
            key: 'ignore',
            label: t('unknown.ignore'),
            can: row.can.ignore,
            onClick: () => void askIgnore(row),
          },
          {
            key: 'restore',
            label: t('unknown.restore'),
            can: row.can.restore,
            onClick: () => restore.mutate({ id: row.id }),
          },
        ]}
        card={['via', 'address', 'model', 'iccid', 'tries', 'firstSeenAt', 'lastSeenAt']}
      />
      {claimed ? (
        <ClaimDialog row={claimed} onClose={() => setClaimed(null)} onSecret={setSecret} />
      ) : null}
      {secret ? <SecretDialog secret={secret} onClose={() => setSecret(null)} /> : null}
    </>
  )
}
