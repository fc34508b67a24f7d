import ReloadOutlined from '@ant-design/icons/es/icons/ReloadOutlined'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { yuan } from '../../../shared/money.ts'
import { useRead } from '../../../web/api.ts'
import { Figure, FigureRow } from '../../../web/Figure.tsx'
import { usePreference } from '../../../web/list/usePreference.ts'
import { formatCount } from '../../../web/Money.tsx'
import { Empty, Problem, Skeleton } from '../../../web/Problem.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { Mark } from '../../../web/StatusTag.tsx'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { Time } from '../../../web/Time.tsx'
import { everyOf, isTiming, type Timing, timings } from '../../../web/timings.ts'
import { PageHead, Sheet } from '../../../web/ui/Sheet.tsx'
import { Select } from '../../../web/ui/select.tsx'
import { Tooltip } from '../../../web/ui/Tooltip.tsx'
import { useScreen } from '../../../web/useScreen.ts'
import { useTarget } from '../../../web/useTarget.ts'
import { type StandingRow, workbench } from '../contract.ts'
import styles from './Situation.module.css'

const sumOf = (list: readonly StandingRow[], per: StandingRow['per']): number | null => {
  const known = list.filter((row) => row.per === per && row.value !== null)
  return known.length === 0 ? null : known.reduce((sum, row) => sum + (row.value ?? 0), 0)
}

/** What stands open, the dearest first; each line opens its list with the filter set. */
export function Situation() {
  const { t } = useTranslation('workbench')
  const { title } = useScreen()
  const active = useActiveTab()
  const [timing, setTiming] = usePreference<Timing>('situation.refresh', (found) =>
    isTiming(found) ? found : 'm1',
  )
  const read = useRead(workbench.situation, {}, { inline: true, every: active && everyOf(timing) })
  const list = read.data?.list ?? []
  const daily = sumOf(list, 'DAY')
  const once = sumOf(list, 'ONCE')
  return (
    <div className={styles.page}>
      <PageHead title={title}>
        <span className={styles.lead}>{t('situation.lead')}</span>
        <Select
          size="small"
          variant="borderless"
          popupMatchSelectWidth={false}
          aria-label={t('situation.every')}
          value={timing}
          onChange={setTiming}
          options={(Object.keys(timings) as Timing[]).map((key) => ({
            value: key,
            label: `${t('situation.every')} ${t(`enums.every.${key}`)}`,
          }))}
        />
        <Tooltip title={t('situation.refresh')}>
          <Button
            type="text"
            size="small"
            icon={<ReloadOutlined />}
            aria-label={t('situation.refresh')}
            onClick={() => void read.refetch()}
          />
        </Tooltip>
      </PageHead>
      {read.isError && !read.data ? (
        <Sheet>
          <Problem
            error={read.error}
            title={t('situation.failed')}
            onRetry={() => void read.refetch()}
          />
        </Sheet>
      ) : !read.data ? (
        <Sheet>
          <Skeleton rows={8} />
        </Sheet>
      ) : list.length === 0 ? (
        <Sheet>
          <Empty title={t('situation.none')} hint={t('situation.noneHint')} />
        </Sheet>
      ) : (
        <>
          <FigureRow>
            <Figure
              label={t('situation.things')}
              value={formatCount(list.reduce((sum, row) => sum + row.count, 0))}
              note={t('situation.kinds', { n: list.length })}
            />
            {once === null ? null : (
              <Figure
                label={t('situation.once')}
                value={yuan(once)}
                note={t('situation.onceNote')}
              />
            )}
            {daily === null ? null : (
              <Figure
                label={t('situation.daily')}
                value={yuan(daily)}
                note={t('situation.dailyNote', { value: yuan(Math.round(daily / 24)) })}
              />
            )}
          </FigureRow>
          <Sheet flush label={title}>
            <Things list={list} />
          </Sheet>
        </>
      )}
    </div>
  )
}

function Things({ list }: { list: readonly StandingRow[] }) {
  const { t } = useTranslation('workbench')
  const { lang } = usePrefs()
  const target = useTarget()
  const most = Math.max(1, ...list.map((row) => row.value ?? 0))
  return (
    <table className={styles.things}>
      <thead>
        <tr>
          <th>{t('situation.thing')}</th>
          <th className="hd-num">{t('situation.count')}</th>
          <th className="hd-num">{t('situation.value')}</th>
          <td className={styles.share} />
          <th className={styles.since}>{t('situation.since')}</th>
          <th className={styles.act} aria-label={t('situation.handle')} />
        </tr>
      </thead>
      <tbody>
        {list.map((row) => {
          const to = target(row.to)
          const name = lang === 'en' ? row.titleEn : row.title
          return (
            <tr key={row.key}>
              <td>
                <span className={styles.name}>
                  <Mark tone={row.tone} />
                  {to ? <Link to={to}>{name}</Link> : name}
                </span>
              </td>
              <td className="hd-num">
                <strong>
                  {row.more
                    ? t('situation.more', { n: formatCount(row.count) })
                    : formatCount(row.count)}
                </strong>
              </td>
              <td className="hd-num">
                {row.value === null ? (
                  <span className="hd-none">—</span>
                ) : (
                  <>
                    {yuan(row.value)}
                    {row.per === 'DAY' ? <small>{t('situation.perDay')}</small> : null}
                  </>
                )}
              </td>
              <td className={styles.share} aria-hidden="true">
                {row.value ? (
                  <span
                    className={styles.bar}
                    style={{ width: `${Math.max(1, (100 * row.value) / most)}%` }}
                  />
                ) : null}
              </td>
              <td className={styles.since}>
                {row.since ? (
                  <Time at={row.since} style="age" />
                ) : (
                  <span className="hd-none">—</span>
                )}
              </td>
              <td className={styles.act}>
                {to ? <Link to={to}>{t('situation.handle')}</Link> : null}
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
