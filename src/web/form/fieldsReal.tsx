import { Alert, Form, Input, InputNumber, Radio, type SelectProps, Switch } from 'antd'
import { type ReactElement, type ReactNode, useContext, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { z } from 'zod'
import { Day } from '../list/days.tsx'
import { fieldInfo, isRequired } from '../schema.ts'
import { Upload } from '../Upload.tsx'
import { Select } from '../ui/select.tsx'
import styles from './Form.module.css'
import { MoneyInput } from './MoneyInput.tsx'
import { FormContext, nameOf } from './useForm.ts'

type Base = {
  /** Field of the endpoint's input, `rules.0.share` for nested ones. */
  readonly name: string
  readonly label?: string
  readonly hint?: ReactNode
  /** Overrides what the contract says, for fields that are needed only sometimes. */
  readonly required?: boolean
  /** Spans both columns. */
  readonly wide?: boolean
  readonly disabled?: boolean
  readonly placeholder?: string
}
export type Option = {
  readonly value: string | number | boolean
  readonly label: string
  readonly disabled?: boolean
}

function useField(name: string) {
  const context = useContext(FormContext)
  if (!context) throw new Error('a field outside a form')
  const { t } = useTranslation([context.ns, 'web'])
  let type: z.ZodType | undefined = context.schema.shape[name.split('.')[0] as string] as
    | z.ZodType
    | undefined
  if (name.includes('.')) type = undefined
  const info = fieldInfo(type)
  const enumOptions: Option[] =
    info.kind === 'boolean'
      ? [true, false].map((value) => ({ value, label: t(`web:bool.${value}`) }))
      : info.values.map((value) => ({ value, label: t(`${context.ns}:enums.${name}.${value}`) }))
  return { ...context, t, type, info, enumOptions, required: isRequired(type) }
}

/**
 * Label, room for one error line, and the check on leaving; around any control with `value` and
 * `onChange`.
 */
export function Field({
  name,
  label,
  hint,
  required,
  wide,
  children,
  valuePropName,
  plain,
  start,
}: Base & { children: ReactElement; valuePropName?: string; plain?: boolean; start?: unknown }) {
  const field = useField(name)
  const text = label ?? field.t(`${field.ns}:fields.${name}`)
  const { label: remember } = field
  useEffect(() => remember(name, text), [remember, name, text])
  return (
    <Form.Item
      className={`${styles.item} ${wide ? styles.wide : ''}`}
      name={nameOf(name)}
      label={text}
      required={required ?? field.required}
      {...(hint ? { extra: hint } : {})}
      {...(valuePropName ? { valuePropName } : {})}
      {...(start === undefined ? {} : { initialValue: start })}
      {...(plain
        ? {}
        : {
            validateTrigger: 'onBlur',
            rules: [
              {
                validator: () => {
                  const found = field.check(name)
                  return found === null ? Promise.resolve() : Promise.reject(new Error(found))
                },
                validateTrigger: 'onBlur',
              },
            ],
          })}
    >
      {children}
    </Form.Item>
  )
}

export function TextField(
  props: Base & {
    count?: boolean
    password?: boolean
    prefix?: ReactNode
    autoComplete?: string
    children?: never
  },
) {
  const { info } = useField(props.name)
  const own = {
    disabled: props.disabled ?? false,
    placeholder: props.placeholder ?? '',
    autoComplete: props.autoComplete ?? 'off',
    ...(info.max ? { maxLength: info.max } : {}),
  }
  return (
    <Field {...props}>
      {props.password ? (
        <Input.Password {...own} />
      ) : (
        <Input {...own} prefix={props.prefix} showCount={props.count ?? false} />
      )}
    </Field>
  )
}

export function TextAreaField(props: Base & { rows?: number }) {
  const { info } = useField(props.name)
  return (
    <Field wide {...props}>
      <Input.TextArea
        rows={props.rows ?? 3}
        disabled={props.disabled ?? false}
        placeholder={props.placeholder ?? ''}
        {...(info.max ? { maxLength: info.max, showCount: true } : {})}
      />
    </Field>
  )
}

export function NumberField(
  props: Base & { min?: number; max?: number; precision?: number; unit?: string },
) {
  return (
    <Field {...props}>
      <InputNumber
        className={styles.full ?? ''}
        disabled={props.disabled ?? false}
        precision={props.precision ?? 0}
        {...(props.min === undefined ? {} : { min: props.min })}
        {...(props.max === undefined ? {} : { max: props.max })}
        suffix={props.unit}
        placeholder={props.placeholder ?? ''}
      />
    </Field>
  )
}

/** Yuan in the field, fen in the value. */
export const MoneyField = (props: Base) => (
  <Field {...props}>
    <MoneyInput disabled={props.disabled ?? false} placeholder={props.placeholder ?? ''} />
  </Field>
)

export function SelectField(
  props: Base & {
    options?: readonly Option[]
    multiple?: boolean
    loading?: boolean
    onSearch?: (text: string) => void
  },
) {
  const { enumOptions, t, required } = useField(props.name)
  return (
    <Field {...props}>
      <Select
        options={[...(props.options ?? enumOptions)] as SelectProps['options'] & object}
        disabled={props.disabled ?? false}
        loading={props.loading ?? false}
        allowClear={!(props.required ?? required)}
        placeholder={props.placeholder ?? t('web:form.choose')}
        {...(props.multiple ? { mode: 'multiple' as const } : {})}
        showSearch={
          props.onSearch
            ? { filterOption: false, onSearch: props.onSearch }
            : { optionFilterProp: 'label' }
        }
      />
    </Field>
  )
}

type Drawn = Omit<Option, 'label'> & { readonly label: ReactNode }
export function RadioField(props: Base & { options?: readonly Drawn[] }) {
  const { enumOptions } = useField(props.name)
  return (
    <Field wide {...props}>
      <Radio.Group
        options={[...(props.options ?? enumOptions)]}
        disabled={props.disabled ?? false}
      />
    </Field>
  )
}

export const SwitchField = (props: Base) => (
  <Field required={false} {...props} valuePropName="checked" start={false}>
    <Switch disabled={props.disabled ?? false} />
  </Field>
)

/** A day, or none. */
export const DayField = (props: Base) => (
  <Field {...props}>
    <DayInput />
  </Field>
)
type DayInputProps = { value?: unknown; onChange?: (day: string | null) => void }
const DayInput = ({ value, onChange }: DayInputProps) => (
  <Day
    value={typeof value === 'string' ? value : null}
    placeholder=""
    style={{ width: '100%' }}
    onChange={(day) => onChange?.(day)}
  />
)

/** One picture as text, or up to `max` as a list. */
export const ImageField = ({
  own = false,
  square = false,
  ...props
}: Base & { max?: number; own?: boolean; square?: boolean }) => (
  <Field wide {...props} plain>
    <Upload
      {...(props.max === undefined ? {} : { max: props.max })}
      disabled={props.disabled ?? false}
      own={own}
      square={square}
    />
  </Field>
)

/** Something to read among the fields. */
export const Fixed = ({
  label,
  children,
  wide,
}: {
  label: string
  children: ReactNode
  wide?: boolean
}) => (
  <Form.Item className={`${styles.item} ${wide ? styles.wide : ''}`} label={label}>
    <span className={styles.fixed}>{children}</span>
  </Form.Item>
)

/** A sentence across both columns. */
export const Note = ({
  type = 'info',
  children,
}: {
  type?: 'info' | 'warning'
  children: ReactNode
}) => <Alert className={`${styles.wide} ${styles.note}`} type={type} showIcon title={children} />
