import { Flex } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { Count } from '../../../web/Money.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { Time } from '../../../web/Time.tsx'
import { Lines } from '../../../web/ui/Sheet.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { useTarget } from '../../../web/useTarget.ts'
import { reports } from '../contract.ts'
import { Card } from './Card.tsx'

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
          <StatusTag tone="online">{t('attention.none')}</StatusTag>
        ) : (
          <Lines columns="minmax(0, 1fr) 150px 72px 96px">
            {list.map((row) => {
              const to = target(`/device/device-list?detail=${row.id}`)
              return (
                <li key={row.id}>
                  <Flex wrap align="baseline" gap="0 8px">
                    {to ? <Link to={to}>{row.rtuNumber}</Link> : row.rtuNumber}
                    <span>{row.nickname}</span>
                    <Muted small>{row.address}</Muted>
                  </Flex>
                  <StatusTag
                    tone={row.state}
                    note={row.offlineSince ? <Time at={row.offlineSince} style="age" /> : undefined}
                  >
                    {t(`enums.MachineState.${row.state}`)}
                  </StatusTag>
                  <Muted>
                    {t('attention.faults')} <Count value={row.faults} />
                  </Muted>
                  <Muted>
                    {t('attention.soldOut')} <Count value={row.soldOutLanes} />
                  </Muted>
                </li>
              )
            })}
          </Lines>
        )
      }
    </Card>
  )
}
