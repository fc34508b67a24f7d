import { InputNumber } from 'antd'
import { Field } from './fields.tsx'

type Value = { id?: string; value?: number | null; onChange?: (bp: number | null) => void }
const Percent = ({ id, value, onChange, max }: Value & { max: number }) => (
  <InputNumber
    {...(id ? { id } : {})}
    style={{ width: '100%' }}
    precision={2}
    min={0}
    max={max}
    suffix="%"
    value={value === null || value === undefined ? null : value / 100}
    onChange={(percent) => onChange?.(percent === null ? null : Math.round(percent * 100))}
  />
)

/** Percent in the field, hundredths of a percent in the value. */
export const BpField = ({ max = 100, ...props }: { name: string; hint?: string; max?: number }) => (
  <Field {...props}>
    <Percent max={max} />
  </Field>
)
