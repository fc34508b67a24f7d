import { Alert, Button } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { Detail, Rows } from '../../../web/Detail.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import type { DetailProps } from '../../../web/list/types.ts'
import { useLive } from '../../../web/live.ts'
import { Picture } from '../../../web/Picture.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { Lines, Part } from '../../../web/ui/Sheet.tsx'
import { Bad, Muted } from '../../../web/ui/Text.tsx'
import { useAct } from '../../../web/useAct.ts'
import { batches } from '../contract.ts'
import { type RecallDetail, recallTones } from '../recallContract.ts'

const DestroyDialog = lazyDialog(() => import('./RecallDialogs.tsx').then((m) => m.DestroyDialog))
const EndDialog = lazyDialog(() => import('./RecallDialogs.tsx').then((m) => m.EndDialog))
const columns = 'minmax(0, 1.2fr) minmax(0, 1fr) minmax(96px, auto)'

/** A recall beside its list: where every piece is, who knows of it, and who saw it destroyed. */
export function RecallDrawer({ id, ...steps }: DetailProps) {
  const { t } = useTranslation('batches')
  const known = /^[1-9]\d{0,14}$/.test(id)
  const read = useRead(batches.recallOne, { id: Number(id) }, { inline: true, enabled: known })
  useLive('batches', [batches.recallOne.path])
  const [open, setOpen] = useState<'destroy' | 'end' | null>(null)
  const recall = known ? read.data : undefined
  const confirm = useAct(batches.confirmEnd, {
    ask: ({ inLanes }: RecallDetail) => t('acceptAsk', { n: inLanes }),
    ok: t('accept'),
    invalidates: ['recalls', 'batches'],
  })
  const decline = useAct(batches.confirmEnd, {
    ask: t('declineAsk'),
    ok: t('decline'),
    invalidates: ['recalls', 'batches'],
  })
  return (
    <Detail
      open={known}
      {...steps}
      title={recall ? t('recallDetail', { batchNo: recall.batchNo }) : ''}
      status={
        recall ? (
          <StatusTag chip tone={recallTones[recall.state]}>
            {t(`enums.state.${recall.state}`)}
          </StatusTag>
        ) : null
      }
      loading={read.isPending}
      error={read.error}
      onRetry={() => void read.refetch()}
      actions={
        recall && (recall.can.destroy || recall.can.end) ? (
          <>
            {recall.can.destroy ? (
              <Button onClick={() => setOpen('destroy')}>{t('destroy')}</Button>
            ) : null}
            {recall.can.end ? (
              <Button type="primary" onClick={() => setOpen('end')}>
                {t('unrecall')}
              </Button>
            ) : null}
          </>
        ) : null
      }
    >
      {recall?.state === 'ASKED' ? (
        <Alert
          type="warning"
          showIcon
          title={t('askedHint', { name: recall.askedBy, reason: recall.endReason })}
          action={
            recall.can.confirm ? (
              <>
                <Button size="small" onClick={() => void decline(recall, { accept: false })}>
                  {t('decline')}
                </Button>{' '}
                <Button
                  size="small"
                  type="primary"
                  onClick={() => void confirm(recall, { accept: true })}
                >
                  {t('accept')}
                </Button>
              </>
            ) : null
          }
        />
      ) : null}
      {recall ? <Body recall={recall} /> : null}
      {recall && open === 'destroy' ? (
        <DestroyDialog recall={recall} onClose={() => setOpen(null)} />
      ) : null}
      {recall && open === 'end' ? (
        <EndDialog recall={recall} onClose={() => setOpen(null)} />
      ) : null}
    </Detail>
  )
}

function Body({ recall }: { recall: RecallDetail }) {
  const { t } = useTranslation('batches')
  const may = useMay()
  const f = (key: string, value: ReactNode) => [t(`fields.${key}`), value] as const
  const pieces = (n: number) => t('pieces', { n })
  return (
    <>
      <Rows
        items={[
          f('productName', recall.productName),
          f('level', t(`enums.level.${recall.level}`)),
          f('recallNo', recall.recallNo),
          f('reason', recall.reason),
          f('notice', recall.notice ? <Picture src={recall.notice} size={96} /> : ''),
          f('recalledAt', <Time at={recall.recalledAt} />),
          f('recalledBy', recall.recalledBy),
          f('dueAt', <Time at={recall.dueAt} />),
          ...(recall.endedAt
            ? [
                f('endedAt', <Time at={recall.endedAt} />),
                f('endedBy', [recall.askedBy, recall.endedBy].filter(Boolean).join(' · ')),
                f('endReason', recall.endReason),
              ]
            : []),
        ]}
      />
      <Rows
        title={t('parts.progress')}
        items={[
          f('lockedLanes', recall.lockedLanes),
          f('acknowledged', `${recall.acknowledged} / ${recall.devices}`),
          f('loadedQty', pieces(recall.loadedQty)),
          f('withdrawn', pieces(recall.withdrawn)),
          f('sold', recall.sold === null ? null : pieces(recall.sold)),
          f('inLanes', <Bad when={recall.inLanes > 0}>{pieces(recall.inLanes)}</Bad>),
          f('destroyedQty', pieces(recall.destroyedQty)),
        ]}
      />
      {recall.deviceRows.length ? (
        <Part title={t('parts.devices')}>
          <Lines columns={columns}>
            {recall.deviceRows.map((row) => (
              <li key={row.deviceId}>
                {may('device:read') ? (
                  <Link to={`/device/device-list?detail=${row.deviceId}`}>{row.rtuNumber}</Link>
                ) : (
                  <span>{row.rtuNumber}</span>
                )}
                <Muted>{t('laneOf', { lanes: row.lanes, pieces: row.inLanes })}</Muted>
                {row.acknowledged ? (
                  <Muted>{t('knows')}</Muted>
                ) : (
                  <Bad>
                    {t('unacknowledged')} <Time at={recall.recalledAt} style="age" />
                  </Bad>
                )}
              </li>
            ))}
          </Lines>
        </Part>
      ) : null}
      <Sold id={recall.id} />
      <Part title={t('parts.destroyed')}>
        {recall.destructions.length ? (
          <Lines columns={columns}>
            {recall.destructions.map((row) => (
              <li key={row.id}>
                <span>
                  {pieces(row.qty)} · {row.doneBy} · {row.witness}
                </span>
                <span>
                  {row.photos.map((src) => (
                    <Picture key={src} src={src} size={32} />
                  ))}
                </span>
                <Time at={row.at} />
              </li>
            ))}
          </Lines>
        ) : (
          <Muted>{t('noneDestroyed')}</Muted>
        )}
      </Part>
      <Part title={t('parts.people')}>
        {recall.people.length ? (
          <Lines columns={columns}>
            {recall.people.map((row) => (
              <li key={row.userId}>
                <span>{row.name}</span>
                <Muted>{row.orgName}</Muted>
                <Time at={row.at} />
              </li>
            ))}
          </Lines>
        ) : (
          <Muted>{t('noneTold')}</Muted>
        )}
      </Part>
    </>
  )
}

function Sold({ id }: { id: number }) {
  const { t } = useTranslation('batches')
  const may = useMay()
  const read = useRead(batches.soldPieces, { id, pageSize: 50 }, { inline: true })
  const rows = read.data?.list ?? []
  return (
    <Part title={t('parts.sold')}>
      {rows.length ? (
        <Lines columns={columns}>
          {rows.map((row) => (
            <li key={row.id}>
              {row.orderNum && may('order:read') ? (
                <Link to={`/order/order-details/${row.orderNum}`}>{row.orderNum}</Link>
              ) : (
                <span>{row.rtuNumber}</span>
              )}
              <Muted>{row.consumer || row.rtuNumber}</Muted>
              <Time at={row.soldAt} />
            </li>
          ))}
        </Lines>
      ) : (
        <Muted>{t('noneSold')}</Muted>
      )}
    </Part>
  )
}
