import { type ChangeEvent, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import styles from './Login.module.css'

const icons = {
  person:
    'M8 8.200a3.300 3.300 0 1 0 0-6.600 3.300 3.300 0 0 0 0 6.600zM2 14.600c.4-3.400 2.600-5.200 6-5.200s5.600 1.800 6 5.200',
  lock: 'M2.800 7h10.400v7.200H2.800zM5 7V4.600a3 3 0 0 1 6 0V7M8 9.800v1.800',
  phone: 'M4.500 1.500h7v13h-7zM7.300 12.400h1.400',
  code: 'M1.800 3.500h12.400v9H1.800zM4.500 8h.1M8 8h.1M11.500 8h.1',
} as const

type FieldProps = {
  name: string
  label: string
  value: string
  onChange: (value: string) => void
  error: string | undefined
  autoComplete?: string
  placeholder?: string
  maxLength?: number
  focus?: boolean
}
type RowProps = Pick<FieldProps, 'name' | 'label' | 'error'> & {
  icon: keyof typeof icons
  hint?: string | undefined
  children: ReactNode
}

/** Label, field, and room for one line below. */
function Row({ name, icon, label, error, hint, children }: RowProps) {
  return (
    <div className={styles.row}>
      <label htmlFor={name}>{label}</label>
      <div className={styles.field} data-error={error !== undefined}>
        <svg
          width="15"
          height="15"
          viewBox="0 0 16 16"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.3"
          strokeLinecap="round"
          aria-hidden="true"
        >
          <path d={icons[icon]} />
        </svg>
        {children}
      </div>
      <p id={`${name}-error`} className={error ? styles.error : styles.hint} aria-live="polite">
        {error ?? hint}
      </p>
    </div>
  )
}

const Eye = ({ open }: { open: boolean }) => (
  <svg
    width="16"
    height="16"
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.200"
    aria-hidden="true"
  >
    <path d="M1 8c1.800-3 4.100-4.500 7-4.500S13.200 5 15 8c-1.800 3-4.100 4.500-7 4.500S2.800 11 1 8z" />
    <circle cx="8" cy="8" r="2.100" />
    {open ? null : <path d="M2.500 13.500l11-11" />}
  </svg>
)

/** The input of a row; `label` stands above it. */
const inputOf = ({ label: _, onChange, error, focus = false, ...own }: FieldProps) => ({
  ...own,
  id: own.name,
  onChange: (event: ChangeEvent<HTMLInputElement>) => onChange(event.target.value),
  autoFocus: focus,
  'aria-invalid': error !== undefined,
  'aria-describedby': `${own.name}-error`,
})

/** With an eye to see what was typed, and a word when caps lock is on. */
export function PasswordRow({
  fieldRef,
  ...field
}: FieldProps & { fieldRef?: React.Ref<HTMLInputElement> }) {
  const { t } = useTranslation('web')
  const [shown, setShown] = useState(false)
  const [caps, setCaps] = useState(false)
  const eye = t(shown ? 'login.hide' : 'login.show')
  return (
    <Row {...field} icon="lock" hint={caps ? t('login.capsLock') : undefined}>
      <input
        maxLength={128}
        {...inputOf(field)}
        ref={fieldRef}
        type={shown ? 'text' : 'password'}
        onKeyUp={(event) => setCaps(event.getModifierState('CapsLock'))}
        onBlur={() => setCaps(false)}
      />
      <button
        type="button"
        className={styles.eye}
        aria-label={eye}
        title={eye}
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
      >
        <Eye open={shown} />
      </button>
    </Row>
  )
}

type TextProps = FieldProps & {
  icon?: keyof typeof icons
  numeric?: boolean
  after?: ReactNode
}

export const TextRow = ({ icon = 'person', numeric = false, after, ...field }: TextProps) => (
  <Row {...field} icon={icon}>
    <input
      maxLength={200}
      autoComplete="off"
      {...inputOf(field)}
      autoCapitalize="off"
      spellCheck={false}
      inputMode={numeric ? 'numeric' : 'text'}
    />
    {after}
  </Row>
)

/** What has to be read before anything else. */
export const Notice = ({ good = false, children }: { good?: boolean; children: ReactNode }) => (
  <p className={styles.notice} data-good={good} role="alert">
    {children}
  </p>
)
