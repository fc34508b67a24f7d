import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { Count, Money } from '../../../web/Money.tsx'
import { Picture } from '../../../web/Picture.tsx'
import { Empty } from '../../../web/Problem.tsx'
import { useMay } from '../../../web/session.ts'
import { useTarget } from '../../../web/useTarget.ts'
import { type HotProduct, reports } from '../contract.ts'
import { periodOf } from '../rules.ts'
import { Card } from './Card.tsx'
import styles from './Home.module.css'

type Props = { days: 7 | 30; every: number | false; money: boolean }

export function HotProducts({ days, every, money }: Props) {
  const { t } = useTranslation('reports')
  const sees = useMay()('best-selling:read')
  const more = useTarget()(`/best-selling-products?${periodOf(days)}`)
  const read = useRead(reports.hotProducts, { days }, { inline: true, keep: true, every })
  return (
    <Card
      title={t('hot.title')}
      note={t(days === 7 ? 'period.d7' : 'period.d30')}
      extra={more && sees ? <Link to={more}>{t('hot.more')}</Link> : null}
      read={read}
      failed={t('hot.failed')}
      rows={10}
    >
      {({ list }) =>
        list.length === 0 ? (
          <Empty title={t('hot.empty')} />
        ) : (
          <table className={styles.hot}>
            <colgroup>
              {[26, 38, 0, 60, ...(money ? [88] : []), 40].map((width) => (
                <col key={width} style={width ? { width } : {}} />
              ))}
            </colgroup>
            <thead>
              <tr>
                <th scope="col">{t('hot.rank')}</th>
                <th scope="col" colSpan={2}>
                  {t('hot.product')}
                </th>
                <th scope="col" className="hd-num">
                  {t('hot.sales')}
                </th>
                {money ? (
                  <th scope="col" className="hd-num">
                    {t('hot.turnover')}
                  </th>
                ) : null}
                <th scope="col" className="hd-num">
                  {t('hot.change')}
                </th>
              </tr>
            </thead>
            <tbody>
              {list.map((row) => (
                <Row key={row.productId} row={row} money={money} />
              ))}
            </tbody>
          </table>
        )
      }
    </Card>
  )
}

function Row({ row, money }: { row: HotProduct; money: boolean }) {
  const { t } = useTranslation('reports')
  const name =
    row.name === ''
      ? t('hot.unknown')
      : row.name.includes(row.model)
        ? row.name
        : `${row.name} ${row.model}`
  return (
    <tr>
      <td className={row.rank <= 3 ? styles.first : styles.rank}>{row.rank}</td>
      <td className={styles.picture}>
        <Picture src={row.img} size={30} />
      </td>
      <td className={styles.name} title={name}>
        {name}
      </td>
      <td className="hd-num">
        <Count value={row.salesNum} />
      </td>
      {money ? (
        <td className="hd-num">
          <Money fen={row.turnover} />
        </td>
      ) : null}
      <td className="hd-num">
        <Change places={row.change} />
      </td>
    </tr>
  )
}

function Change({ places }: { places: number | null }) {
  const { t } = useTranslation('reports')
  if (places === null)
    return (
      <span className={styles.rank} title={t('hot.fresh')}>
        {t('hot.freshMark')}
      </span>
    )
  if (places === 0)
    return (
      <span className="hd-none" title={t('hot.same')}>
        —
      </span>
    )
  const up = places > 0
  return (
    <span
      className={up ? styles.up : styles.down}
      title={t(up ? 'hot.up' : 'hot.down', { n: Math.abs(places) })}
    >
      {up ? '↑' : '↓'}
      {Math.abs(places)}
    </span>
  )
}
