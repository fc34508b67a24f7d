import type { Filter } from '../../../web/list/types.ts'
import { DeviceTypeSelect } from '../../device-types/web/pickers.tsx'
import { StoreSelect } from '../../stores/web/pickers.tsx'
import { OwnerSelect, RegionSelect } from './pickers.tsx'

/** The list and the map of machines filter alike. */
export const deviceFilters = (keyword: string): readonly Filter[] => [
  { key: 'keyword', label: keyword },
  { key: 'typeId', picker: ({ onChange, ...rest }) => <DeviceTypeSelect {...rest} onChange={onChange} /> },
  { key: 'orgId', picker: ({ onChange, ...rest }) => <OwnerSelect {...rest} onChange={onChange} /> },
  { key: 'region', picker: ({ onChange, ...rest }) => <RegionSelect any {...rest} onChange={onChange} /> },
  { key: 'lifecycle' },
  { key: 'storeId', more: true, picker: ({ onChange, ...rest }) => <StoreSelect {...rest} onChange={(value) => onChange(value ?? undefined)} /> },
  { key: 'status', more: true },
  { key: 'signal', more: true },
  { key: 'kind', more: true },
  { key: 'hasFault', more: true },
  { key: 'soldOut', more: true },
  { key: 'tempAlarm', more: true },
  { key: 'boardNo', more: true },
  { key: 'card', more: true },
  { key: 'range', more: true },
]
