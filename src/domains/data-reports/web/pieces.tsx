import { useTranslation } from 'react-i18next'
import type { Filter } from '../../../web/list/types.ts'
import { Empty } from '../../../web/Problem.tsx'
import { RegionSelect } from '../../../web/RegionSelect.tsx'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { DeviceSelect } from '../../machines/web/pickers.tsx'
import { StoreSelect } from '../../stores/web/pickers.tsx'
import type { Days } from '../rules.ts'
import type { ReportFigure, Unit } from './ReportHead.tsx'

type Word = (key: string) => string
type Say = (key: string, values: Record<string, string>) => string
/** Where and when, of every report. */
export const placeFilters: readonly (Filter | string)[] = [
  'range',
  { key: 'deviceId', picker: DeviceSelect },
  'compare',
  { key: 'orgId', picker: OwnerSelect, more: true },
  { key: 'storeId', picker: (props) => <StoreSelect {...(props as object)} />, more: true },
  { key: 'region', picker: (props) => <RegionSelect any {...(props as object)} />, more: true },
]

/** What a list asks, without its page and order: its summary asks the same. */
export const askedOf = ({
  page: _,
  pageSize: __,
  sort: ___,
  ...asked
}: Record<string, unknown>): Record<string, unknown> => asked

const unwelcome = new Set<string>([
  ...['refundAmount', 'refundedPieces', 'offlineHours', 'outages', 'faults', 'repairHours'],
])
/** Figures of sums beside those of another period. */
export const figuresOf = <K extends string>(
  t: Word,
  keys: readonly (readonly [K, Unit])[],
  sums: Readonly<Partial<Record<K, number | null>>>,
  before: Readonly<Partial<Record<K, number | null>>> | null,
): ReportFigure[] =>
  keys.map(([key, unit]) => ({
    label: t(`fields.${key}`),
    value: sums[key] ?? null,
    before: before?.[key],
    unit,
    fewer: unwelcome.has(key),
  }))

/** Which days these are, and with which they are compared. */
export const periodOf = (t: Say, days: Days, before: Days | null): string =>
  before
    ? t('against', { ...days, first: before.from, last: before.to })
    : t('period', { from: days.from, to: days.to })

/** A child of the root opens for everybody; what it shows does not. */
export function Forbidden() {
  const { t } = useTranslation('dataReports')
  return (
    <section className="hd-sheet">
      <Empty title={t('forbidden')} />
    </section>
  )
}
