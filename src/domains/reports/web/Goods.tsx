import { Flex } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { Count } from '../../../web/Money.tsx'
import { Empty } from '../../../web/Problem.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { Lines } from '../../../web/ui/Sheet.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { useTarget } from '../../../web/useTarget.ts'
import { batches } from '../../batches/contract.ts'
import { drugControl } from '../../drug-control/contract.ts'
import { expiry } from '../../expiry/contract.ts'
import { suppliers } from '../../suppliers/contract.ts'
import { Card } from './Card.tsx'
import styles from './Home.module.css'
import { type Todo, TodoCards } from './Todos.tsx'

const near = '/stock/prompt-expired-goods'
const own = '/product/supplier-batch'
const shown = 6

/** Of people who have no machine but goods: what they delivered, or what they watch. */
export const Goods = ({ readOnly }: { readOnly: boolean }) =>
  readOnly ? <Watched /> : <Delivered />

function Delivered() {
  const { t } = useTranslation('reports')
  const newest = useRead(batches.list, {}, { inline: true })
  const recalled = useRead(batches.list, { status: 'RECALLED' }, { inline: true })
  const expiring = useExpiring()
  const entered = useMay()('supplier:read')
  const entries = useRead(suppliers.list, {}, { inline: true, enabled: entered })
  return (
    <>
      <Figures
        list={[
          {
            key: 'delivered',
            tone: 'online',
            label: t('goods.delivered'),
            count: newest.data?.total,
            to: [`${own}/batches`],
          },
          ...expiring,
          {
            key: 'recalled',
            tone: 'fault',
            label: t('goods.recalled'),
            count: recalled.data?.total,
            to: [`${own}/batches?status=RECALLED`],
          },
        ]}
      />
      <div className={styles.columns}>
        <div className={styles.wide}>
          <Card
            title={t('goods.newest')}
            extra={<More to={`${own}/batches`} />}
            read={newest}
            failed={t('goods.failed')}
            rows={shown}
          >
            {({ list }) =>
              list.length === 0 ? (
                <Empty title={t('goods.noDelivery')} />
              ) : (
                <Lines columns="minmax(0, 1fr) 120px 120px 108px">
                  {list.slice(0, shown).map((row) => (
                    <li key={row.id}>
                      <Named name={`${row.productName} ${row.model}`} note={row.batchNo} />
                      <Muted>
                        {t('goods.received')}{' '}
                        {row.receivedQty === null ? '—' : <Count value={row.receivedQty} />}
                      </Muted>
                      <Muted>
                        {t('goods.loaded')} <Count value={row.loadedQty} />
                      </Muted>
                      <Muted>
                        <Time at={row.createTime} style="age" />
                      </Muted>
                    </li>
                  ))}
                </Lines>
              )
            }
          </Card>
          <NearExpiry />
        </div>
        {entered ? (
          <div className={styles.side}>
            <Card
              title={t('goods.licences')}
              extra={<More to={own} />}
              read={entries}
              failed={t('goods.failed')}
              rows={2}
            >
              {({ list }) =>
                list.length === 0 ? (
                  <Empty title={t('goods.noEntry')} />
                ) : (
                  <Lines columns="minmax(0, 1fr) 96px">
                    {list.slice(0, shown).map((row) => (
                      <li key={row.id}>
                        <Named
                          name={row.name}
                          note={
                            row.licenceUntil
                              ? t('goods.until', { day: row.licenceUntil })
                              : t('goods.noLicence')
                          }
                        />
                        <StatusTag tone={licenceTones[row.licenceState]}>
                          {t(`goods.licence.${row.licenceState}`)}
                        </StatusTag>
                      </li>
                    ))}
                  </Lines>
                )
              }
            </Card>
          </div>
        ) : null}
      </div>
    </>
  )
}

function Watched() {
  const { t } = useTranslation('reports')
  const locks = useRead(drugControl.locks, {}, { inline: true })
  const recalls = useRead(batches.recalls, {}, { inline: true })
  const excursions = useRead(drugControl.excursions, { state: 'UNDECIDED' }, { inline: true })
  const expiring = useExpiring()
  return (
    <>
      <Figures
        list={[
          {
            key: 'locks',
            tone: 'fault',
            label: t('goods.locks'),
            count: locks.data?.total,
            to: ['/stock/drug-control'],
          },
          {
            key: 'excursions',
            tone: 'warn',
            label: t('goods.excursions'),
            count: excursions.data?.total,
            to: ['/stock/drug-control/temperature?state=UNDECIDED'],
          },
          ...expiring,
        ]}
      />
      <div className={styles.columns}>
        <div className={styles.wide}>
          <NearExpiry />
        </div>
        <div className={styles.side}>
          <Card
            title={t('goods.recalls')}
            extra={<More to="/stock/drug-control/recalls" />}
            read={recalls}
            failed={t('goods.failed')}
            rows={3}
          >
            {({ list }) =>
              list.length === 0 ? (
                <Empty title={t('goods.noRecall')} />
              ) : (
                <Lines columns="minmax(0, 1fr) 96px">
                  {list.slice(0, shown).map((row) => (
                    <li key={row.id}>
                      <Named name={row.productName} note={row.batchNo} />
                      <Muted>
                        <Time at={row.recalledAt} style="age" />
                      </Muted>
                    </li>
                  ))}
                </Lines>
              )
            }
          </Card>
        </div>
      </div>
    </>
  )
}

const licenceTones = { NONE: 'closed', VALID: 'online', SOON: 'warn', EXPIRED: 'fault' } as const

/** Rows of lists, whose pieces stand beside. */
function useExpiring(): Waiting[] {
  const { t } = useTranslation('reports')
  const { data } = useRead(expiry.stats, {}, { inline: true })
  return (['near', 'expired'] as const).map((key) => ({
    key,
    tone: key === 'near' ? 'warn' : 'fault',
    label: t(`goods.${key}`),
    count: data?.[key].rows,
    note: data && t('goods.pieces', { n: data[key].pieces }),
    to: [key === 'near' ? near : `${near}?state=${key}`],
  }))
}

type Waiting = Omit<Todo, 'count'> & { count: number | undefined }
/** What is not read yet is not shown as none. */
const Figures = ({ list }: { list: readonly Waiting[] }) => (
  <section className={`hd-sheet ${styles.top}`}>
    <TodoCards
      list={list.flatMap(({ count, ...one }) => (count === undefined ? [] : [{ ...one, count }]))}
    />
  </section>
)

const Named = ({ name, note }: { name: ReactNode; note: ReactNode }) => (
  <Flex wrap align="baseline" gap="0 8px">
    <span>{name}</span>
    <Muted small>{note}</Muted>
  </Flex>
)

function More({ to }: { to: string }) {
  const { t } = useTranslation('reports')
  const target = useTarget()(to)
  return target ? <Link to={target}>{t('goods.all')}</Link> : null
}

function NearExpiry() {
  const { t } = useTranslation('reports')
  const read = useRead(expiry.list, {}, { inline: true })
  return (
    <Card
      title={t('goods.nearest')}
      extra={<More to={near} />}
      read={read}
      failed={t('goods.failed')}
      rows={shown}
    >
      {({ list }) =>
        list.length === 0 ? (
          <Empty title={t('goods.noneNear')} />
        ) : (
          <Lines columns="minmax(0, 1fr) 120px 96px 108px">
            {list.slice(0, shown).map((row) => (
              <li key={row.id}>
                <Named name={row.productName} note={row.batchNo} />
                <Muted>{row.rtuNumber}</Muted>
                <Muted>
                  {t('goods.qty')} <Count value={row.qty} />
                </Muted>
                <Muted>{row.expiresOn}</Muted>
              </li>
            ))}
          </Lines>
        )
      }
    </Card>
  )
}
