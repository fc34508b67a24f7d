import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { ImageField, NumberField, RadioField, SelectField, TextField } from '../../../web/form/fields.tsx'
import { pickFor } from '../../../web/form/values.ts'
import { deviceTypes, type TypeRow } from '../contract.ts'

/** Create and edit; the way of dispensing is fixed once machines of the type exist. */
export function TypeDialog({ row, onClose }: { row: TypeRow | undefined; onClose: () => void }) {
  const { t } = useTranslation(['deviceTypes', 'web'])
  const yesNo = (field: string) => ({
    name: field,
    options: [
      { value: true, label: t('web:bool.true') },
      { value: false, label: t('web:bool.false') },
    ] as never,
  })
  return (
    <FormDialog
      title={t(row ? 'editTitle' : 'create')}
      ns="deviceTypes"
      width={640}
      onClose={onClose}
      success={`deviceTypes:success.${row ? 'update' : 'create'}`}
      save={row ? deviceTypes.update : deviceTypes.create}
      initial={
        row
          ? pickFor(deviceTypes.update.input, row)
          : { screen: true, refrigeration: true, dropSensor: true, maxLevels: 10, maxRoads: 10, kind: 'GENERAL', img: '' }
      }
    >
      <TextField name="name" count wide />
      <RadioField {...yesNo('screen')} wide={false} />
      <ScreenSize />
      <RadioField {...yesNo('refrigeration')} wide={false} />
      <RadioField {...yesNo('dropSensor')} wide={false} />
      <SelectField name="pattern" disabled={(row?.deviceCount ?? 0) > 0} />
      <SelectField name="kind" />
      <NumberField name="maxLevels" />
      <NumberField name="maxRoads" />
      <ImageField name="img" />
    </FormDialog>
  )
}

/** Only a screen has a size. */
function ScreenSize() {
  const screen = Form.useWatch('screen')
  return <TextField name="screenSize" required={screen === true} disabled={screen !== true} />
}
