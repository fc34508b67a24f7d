import type { TFunction } from 'i18next'

/** Which machine a line is about: its number, and its name where there is room. */
export const machineColumns = (t: TFunction<'lanes'>, phone: boolean) => [
  {
    key: 'rtuNumber',
    dataIndex: 'rtuNumber',
    title: t('copy.columns.rtuNumber'),
    width: phone ? 96 : 120,
  },
  ...(phone
    ? []
    : [
        {
          key: 'nickname',
          dataIndex: 'nickname',
          title: t('copy.columns.nickname'),
          width: 160,
          ellipsis: true,
        },
      ]),
]
