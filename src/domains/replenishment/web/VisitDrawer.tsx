import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { href } from '../../../web/base.ts'
import { Detail, Rows } from '../../../web/Detail.tsx'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { TextAreaField } from '../../../web/form/fields.tsx'
import type { DetailProps } from '../../../web/list/types.ts'
import { Money } from '../../../web/Money.tsx'
import { Picture } from '../../../web/Picture.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { Time } from '../../../web/Time.tsx'
import { Part } from '../../../web/ui/Sheet.tsx'
import { useAct } from '../../../web/useAct.ts'
import { replenishment, type Visit, visitTones } from '../contract.ts'
import styles from './route.module.css'
import { signed } from './shown.ts'
import { VisitItems } from './VisitItems.tsx'

/** A visit beside its list: what it came to, and each lane before and after. */
export function VisitDrawer({ id, ...beside }: DetailProps) {
  const { t } = useTranslation('replenishment')
  const navigate = useNavigate()
  const read = useRead(replenishment.visit, { id: Number(id) }, { inline: true })
  const [rejecting, setRejecting] = useState(false)
  const approve = useAct(replenishment.approve, {
    ask: t('approveAsk'),
    ok: t('approve'),
    danger: false,
  })
  const visit = read.data
  return (
    <>
      <Detail
        open
        {...beside}
        title={visit ? `${visit.rtuNumber} ${visit.nickname}` : ''}
        {...(visit
          ? {
              id: String(visit.id),
              status: (
                <StatusTag chip tone={visitTones[visit.state]}>
                  {t(`enums.state.${visit.state}`)}
                </StatusTag>
              ),
            }
          : {})}
        loading={read.isPending}
        error={read.error}
        onRetry={() => void read.refetch()}
        actions={
          visit?.can.edit ? (
            <Button type="primary" onClick={() => navigate(`/stock/replenish/visit/${visit.id}`)}>
              {t('goOn')}
            </Button>
          ) : visit?.can.decide ? (
            <>
              <Button onClick={() => setRejecting(true)}>{t('reject')}</Button>
              <Button type="primary" onClick={() => void approve({ id: visit.id })}>
                {t('approve')}
              </Button>
            </>
          ) : null
        }
      >
        {visit ? <Body visit={visit} /> : null}
      </Detail>
      {rejecting ? (
        <FormDialog
          ns="replenishment"
          title={t('reject')}
          save={replenishment.reject}
          initial={{ id: Number(id) }}
          okText={t('reject')}
          onClose={() => setRejecting(false)}
          onSaved={() => setRejecting(false)}
        >
          <TextAreaField name="reason" label={t('rejectReason')} />
        </FormDialog>
      ) : null}
    </>
  )
}

function Body({ visit }: { visit: Visit }) {
  const { t } = useTranslation('replenishment')
  const off = signed(visit.difference)
  const roadOf = (laneId: number | null) => {
    const item = visit.items.find((one) => one.laneId === laneId)
    return item ? `${t('fields.roadIndex')} ${item.roadIndex}` : t('photos')
  }
  return (
    <>
      <Rows
        items={[
          [t('fields.userName'), visit.userName],
          [t('fields.source'), t(`enums.source.${visit.source}`)],
          [t('fields.startedAt'), <Time key="started" at={visit.startedAt} />],
          ...(visit.submittedAt
            ? [[t('fields.submittedAt'), <Time key="sent" at={visit.submittedAt} />] as const]
            : []),
          [t('fields.added'), visit.added],
          [t('fields.withdrawn'), visit.withdrawn],
          [
            t('fields.difference'),
            visit.diffCost === null ? (
              off
            ) : (
              <>
                {off} · <Money fen={visit.diffCost} />
              </>
            ),
          ],
          ...(visit.doorSeconds === null
            ? []
            : [
                [
                  t('fields.doorSeconds'),
                  t('doorMinutes', { n: Math.ceil(visit.doorSeconds / 60) }),
                ] as const,
              ]),
          ...(visit.checks.length
            ? [
                [
                  t('checksDone'),
                  visit.checks.map((one) => t(`enums.check.${one}`)).join('、'),
                ] as const,
              ]
            : []),
          ...(visit.flags.length
            ? [
                [
                  t('fields.flags'),
                  visit.flags.map((one) => t(`enums.flag.${one}`)).join('、'),
                ] as const,
              ]
            : []),
          ...(visit.openConflicts
            ? [
                [
                  t('views.sync'),
                  <Link key="sync" to="/stock/replenish/sync">
                    {t('conflictsOpen', { n: visit.openConflicts })}
                  </Link>,
                ] as const,
              ]
            : []),
          ...(visit.reason ? [[t('fields.reason'), visit.reason] as const] : []),
        ]}
      />
      <VisitItems items={visit.items} />
      {visit.photos.length ? (
        <Part title={t('photos')}>
          <p className={styles.photos}>
            {visit.photos.map(({ url, laneId }) => (
              <a key={url} href={href(url)} target="_blank" rel="noopener noreferrer">
                <Picture src={url} size={96} alt={roadOf(laneId)} />
              </a>
            ))}
          </p>
        </Part>
      ) : null}
    </>
  )
}
