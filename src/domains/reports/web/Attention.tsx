import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { Count } from '../../../web/Money.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { Time } from '../../../web/Time.tsx'
import { useTarget } from '../../../web/useTarget.ts'
import { reports } from '../contract.ts'
import { Card } from './Card.tsx'
import styles from './Home.module.css'

/** For people who look after machines: which of theirs need a hand, the most urgent first. */
export function Attention({ every }: { every: number | false }) {
  const { t } = useTranslation('reports')
  const target = useTarget()
  const read = useRead(reports.attention, {}, { inline: true, every })
  return (
    <Card
      title={t('attention.title')}
      note={read.data && read.data.total > 0 ? t('attention.of', { n: read.data.total }) : null}
      read={read}
      failed={t('attention.failed')}
      rows={5}
    >
      {({ list }) =>
        list.length === 0 ? (
          <p className={styles.calm}>
            <StatusTag tone="online">{t('attention.none')}</StatusTag>
          </p>
        ) : (
          <ul className={styles.attention}>
            {list.map((row) => {
              const to = target(`/device/device-list?detail=${row.id}`)
              return (
                <li key={row.id}>
                  <span className={styles.machine}>
                    {to ? <Link to={to}>{row.rtuNumber}</Link> : row.rtuNumber}
                    <b>{row.nickname}</b>
                    <small>{row.address}</small>
                  </span>
                  <StatusTag
                    tone={row.state}
                    note={row.offlineSince ? <Time at={row.offlineSince} style="age" /> : undefined}
                  >
                    {t(`enums.MachineState.${row.state}`)}
                  </StatusTag>
                  <span className={styles.counts}>
                    {t('attention.faults')} <Count value={row.faults} />
                  </span>
                  <span className={styles.counts}>
                    {t('attention.soldOut')} <Count value={row.soldOutLanes} />
                  </span>
                </li>
              )
            })}
          </ul>
        )
      }
    </Card>
  )
}
