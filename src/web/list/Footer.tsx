import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { pageSizes } from '../../shared/listQuery.ts'
import { formatCount } from '../Money.tsx'
import { usePhone } from '../shell/useWidth.ts'
import { Pager } from '../ui/Pager.tsx'
import styles from './List.module.css'
import type { Query } from './listUrl.ts'

type Props = {
  answer: { total: number; more?: true | undefined } | undefined
  query: Query
  onChange: (part: Query) => void
  sums: readonly { label: string; value: ReactNode }[]
}

/** Count and sums of the whole filter on the left, pager on the right. */
export function Footer({ answer, query, onChange, sums }: Props) {
  const { t } = useTranslation('web')
  const phone = usePhone()
  return (
    <footer className={styles.foot}>
      <span>
        {answer
          ? t(answer.more ? 'list.totalMore' : 'list.total', {
              count: answer.total,
              n: formatCount(answer.total),
            })
          : null}
      </span>
      {sums.length > 0 ? (
        <span className={styles.sums}>
          {t('list.sums')}{' '}
          {sums.map((sum) => (
            <span key={sum.label}>
              {sum.label} <b>{sum.value}</b>
            </span>
          ))}
        </span>
      ) : null}
      {answer && answer.total > 0 ? (
        <Pager
          page={Number(query.page)}
          pageSize={Number(query.pageSize)}
          total={answer.total}
          {...(phone ? { simple: true } : { sizes: pageSizes })}
          onChange={(page, pageSize) =>
            onChange(pageSize === query.pageSize ? { page } : { page: 1, pageSize })
          }
        />
      ) : null}
    </footer>
  )
}
