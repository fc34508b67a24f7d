import { useTranslation } from 'react-i18next'
import { say } from '../../../shared/text.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { deviceTypeErrors, deviceTypes, TypeRow } from '../contract.ts'

const TypeFields = lazyDialog(() => import('./TypeFields.tsx').then((m) => m.TypeFields))
const blank = { screen: true, refrigeration: true, dropSensor: true, kind: 'GENERAL' }

export function TypeList() {
  const { t } = useTranslation('deviceTypes')
  const col = useCols(TypeRow, 'deviceTypes')
  const { lang } = usePrefs()
  const inUse = ({ deviceCount: n, can }: TypeRow) =>
    can.update && n > 0 ? say(deviceTypeErrors.inUse.text, lang, { n }) : undefined
  const inches = (size: string) => size.replace(/\u5bf8$/, t('inch'))
  const screen = (row: TypeRow) =>
    row.screen ? t('withScreen', { size: inches(row.screenSize) }) : t('without')
  const size = (row: TypeRow) => t('levels', { levels: row.maxLevels, roads: row.maxRoads })
  return (
    <ListPage
      ns="deviceTypes"
      endpoint={deviceTypes.list}
      live="device-types"
      records={{ ...deviceTypes, fields: TypeFields, blank, width: 640, whyNotRemove: inUse }}
      filters={['keyword', 'pattern', 'kind']}
      columns={[
        col('img', { defaultHidden: true }),
        col('name'),
        col('kind'),
        col('pattern'),
        col('screen', { render: (_, row) => screen(row), width: 104 }),
        col('refrigeration'),
        col('dropSensor'),
        col('size', { render: (_, row) => size(row), width: 152 }),
        col('deviceCount'),
        col('createTime'),
      ]}
      card={['kind', 'pattern', 'size', 'deviceCount']}
    />
  )
}
