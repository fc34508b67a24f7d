import type { Filter, PickerProps } from '../../../../web/list/types.ts'
import { RegionSelect } from '../../../../web/RegionSelect.tsx'
import { OwnerSelect } from '../../../accounts/web/pickers.tsx'
import { DeviceTagSelect } from '../../../device-tags/web/pickers.tsx'
import { DeviceTypeSelect } from '../../../device-types/web/pickers.tsx'
import { StoreSelect } from '../../../stores/web/pickers.tsx'

/**
 * The list and the map of machines filter alike; the widths leave room in the row for the button
 * that clears them.
 */
export const deviceFilters = (
  t: (key: string) => string,
  may: (right: string) => boolean,
): readonly Filter[] => [
  { key: 'keyword' },
  { key: 'typeId', width: 152, picker: DeviceTypeSelect },
  { key: 'orgId', width: 152, picker: OwnerSelect },
  { key: 'region', width: 152, picker: (props) => <RegionSelect any {...props} /> },
  { key: 'lifecycle', width: 164 },
  {
    key: 'storeId',
    more: true,
    picker: ({ onChange, ...rest }) => (
      <StoreSelect {...rest} onChange={(value) => onChange(value ?? undefined)} />
    ),
  },
  ...(may('device-tag:read')
    ? [
        {
          key: 'tagIds',
          more: true,
          picker: ({ onChange, ...rest }: PickerProps) => (
            <DeviceTagSelect
              {...rest}
              onChange={(ids) => onChange(ids.length > 0 ? ids : undefined)}
            />
          ),
        },
      ]
    : []),
  { key: 'status', label: t('online'), more: true },
  { key: 'signal', more: true },
  { key: 'kind', more: true },
  { key: 'hasFault', more: true },
  { key: 'soldOut', label: t('views.soldOut'), more: true },
  { key: 'tempAlarm', more: true },
  { key: 'licenceState', more: true },
  { key: 'boardNo', more: true },
  { key: 'card', more: true },
  { key: 'range', more: true },
]
