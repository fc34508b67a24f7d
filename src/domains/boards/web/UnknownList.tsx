import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useWrite } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { useConfirm } from '../../../web/confirm.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { type BoardSecret, boards, UnknownBoard } from '../contract.ts'
import styles from './boards.module.css'

const ClaimDialog = lazyDialog(() => import('./ClaimDialog.tsx').then((m) => m.ClaimDialog))
const SecretDialog = lazyDialog(() => import('./Dialogs.tsx').then((m) => m.SecretDialog))

/** Boards that wanted in and that nobody registered: somebody of the platform claims or ignores them. */
export function UnknownList() {
  const { t } = useTranslation(['boards', 'web'])
  const col = useCols(UnknownBoard, 'boards')
  const may = useMay()
  const navigate = useNavigate()
  const english = usePrefs().lang === 'en'
  const confirm = useConfirm()
  const [claimed, setClaimed] = useState<UnknownBoard | null>(null)
  const [secret, setSecret] = useState<BoardSecret | null>(null)
  const ignore = useWrite(boards.ignore, { success: 'boards:success.ignore' })
  const restore = useWrite(boards.restore, { success: 'boards:success.restore' })
  const w = (zh: number, en: number) => ({ width: english ? en : zh })
  const askIgnore = async (row: UnknownBoard) => {
    if (await confirm({ title: t('unknown.ignoreAsk'), content: row.boardNo }))
      ignore.mutate({ id: row.id })
  }
  return (
    <>
      <ListPage
        title={t('unknown.title')}
        ns="boards"
        endpoint={boards.unknown}
        rowKey="id"
        live="unknown-boards"
        header={
          may('main-board:read') ? (
            <Button onClick={() => navigate('/device/main-board')}>{t('unknown.toBoards')}</Button>
          ) : null
        }
        notice={<p className={styles.note}>{t('unknown.hint')}</p>}
        empty={{ title: t('unknown.empty') }}
        views={[
          { key: 'open', label: t('unknown.views.open'), query: {} },
          { key: 'ignored', label: t('unknown.views.ignored'), query: { ignored: true } },
        ]}
        filters={[{ key: 'boardNo' }]}
        columns={[
          col('boardNo', { width: 168, fixed: 'left', ellipsis: false }),
          col('via', { ...w(88, 104), tones: {} }),
          col('address', { width: 136, ellipsis: false }),
          col('tries', { ...w(96, 88) }),
          col('firstSeenAt', { ...w(112, 120) }),
          col('lastSeenAt', { ...w(112, 120), title: t('unknown.lastSeen') }),
          col('model', { width: 88 }),
          col('fwVersion', { ...w(88, 96) }),
          col('iccid', { width: 192, ellipsis: false }),
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
        card={(row, actions) => (
          <>
            <div className={styles.cardHead}>
              <strong>{row.boardNo}</strong>
              <Time at={row.lastSeenAt} />
            </div>
            <div className={styles.cardFacts}>
              <span>
                {t(`enums.via.${row.via}`)} {row.address}
              </span>
              <span>
                {t('fields.tries')} {row.tries}
              </span>
              <span>
                {t('fields.firstSeenAt')} <Time at={row.firstSeenAt} />
              </span>
              {row.model ? <span>{row.model}</span> : null}
              {row.iccid ? <span>{row.iccid}</span> : null}
            </div>
            {actions}
          </>
        )}
      />
      {claimed ? (
        <ClaimDialog row={claimed} onClose={() => setClaimed(null)} onSecret={setSecret} />
      ) : null}
      {secret ? <SecretDialog secret={secret} onClose={() => setSecret(null)} /> : null}
    </>
  )
}
