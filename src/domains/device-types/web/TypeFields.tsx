import { Form } from 'antd'
import {
  ImageField,
  NumberField,
  RadioField,
  SelectField,
  TextField,
} from '../../../web/form/fields.tsx'
import type { TypeRow } from '../contract.ts'

/** The way of dispensing is fixed once machines of the type exist. */
export const TypeFields = ({ row }: { row: TypeRow | undefined }) => (
  <>
    <TextField name="name" count wide />
    <RadioField name="screen" wide={false} />
    <ScreenSize />
    <RadioField name="refrigeration" wide={false} />
    <RadioField name="dropSensor" wide={false} />
    <SelectField name="pattern" disabled={(row?.deviceCount ?? 0) > 0} />
    <SelectField name="kind" />
    <NumberField name="maxLevels" />
    <NumberField name="maxRoads" />
    <ImageField name="img" />
  </>
)

/** Only a screen has a size. */
function ScreenSize() {
  const screen = Form.useWatch('screen')
  return <TextField name="screenSize" required={screen === true} disabled={screen !== true} />
}
