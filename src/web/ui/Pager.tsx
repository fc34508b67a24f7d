import LeftOutlined from '@ant-design/icons/es/icons/LeftOutlined'
import RightOutlined from '@ant-design/icons/es/icons/RightOutlined'
import { useTranslation } from 'react-i18next'
import styles from './Pager.module.css'
import { Select } from './select.tsx'

type Props = {
  readonly page: number
  readonly pageSize: number
  readonly total: number
  readonly onChange: (page: number, pageSize: number) => void
  /** Chosen by the person, where there is a choice. */
  readonly sizes?: readonly number[]
  /** On a phone: where one is and the pages beside it. */
  readonly simple?: boolean
}

/** The numbers shown: the ends, two on each side, and a gap where more lie between. */
function shownPages(page: number, last: number): (number | 'back' | 'on')[] {
  const near = [page - 2, page - 1, page, page + 1, page + 2].map((one) =>
    page < 4 ? one + 3 - page : page > last - 3 ? one - 2 + last - page : one,
  )
  const inside = near.filter((one) => one > 1 && one < last)
  return [
    1,
    ...((inside[0] ?? 2) > 2 ? ['back' as const] : []),
    ...inside,
    ...((inside.at(-1) ?? last) < last - 1 ? ['on' as const] : []),
    ...(last > 1 ? [last] : []),
  ]
}

export function Pager({
  page: wanted,
  pageSize,
  total,
  onChange,
  sizes = [],
  simple = false,
}: Props) {
  const { t } = useTranslation('web')
  const last = Math.max(1, Math.ceil(total / pageSize))
  const page = Math.min(wanted, last)
  if (sizes.length === 0 && last === 1 && !simple) return null
  const step = (to: number, label: string, icon: React.ReactNode) => (
    <button
      type="button"
      aria-label={label}
      title={label}
      disabled={to < 1 || to > last}
      onClick={() => onChange(to, pageSize)}
    >
      {icon}
    </button>
  )
  return (
    <nav className={styles.pager} aria-label={t('list.pages')}>
      {step(page - 1, t('list.pageBefore'), <LeftOutlined />)}
      {simple ? (
        <span>
          {page} / {last}
        </span>
      ) : (
        shownPages(page, last).map((one) =>
          typeof one === 'number' ? (
            <button
              key={one}
              type="button"
              {...(one === page ? { 'aria-current': 'page' } : {})}
              onClick={() => onChange(one, pageSize)}
            >
              {one}
            </button>
          ) : (
            <button
              key={one}
              type="button"
              aria-label={t(one === 'back' ? 'list.pagesBack' : 'list.pagesOn')}
              title={t(one === 'back' ? 'list.pagesBack' : 'list.pagesOn')}
              onClick={() =>
                onChange(
                  one === 'back' ? Math.max(1, page - 5) : Math.min(last, page + 5),
                  pageSize,
                )
              }
            >
              •••
            </button>
          ),
        )
      )}
      {step(page + 1, t('list.pageAfter'), <RightOutlined />)}
      {sizes.length > 0 ? (
        <Select
          size="small"
          aria-label={t('list.pageSize')}
          value={pageSize}
          popupMatchSelectWidth={false}
          options={sizes.map((size) => ({ value: size, label: t('list.perPage', { size }) }))}
          onChange={(size: number) => onChange(1, size)}
        />
      ) : null}
    </nav>
  )
}
