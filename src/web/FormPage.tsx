import { Alert, Button, Form } from 'antd'
import { type ReactNode, useEffect, useId } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import type { Endpoint } from '../shared/contract.ts'
import type { ApiError } from './call.ts'
import { mayLoseChanges } from './confirm.tsx'
import styles from './form/Form.module.css'
import './form/fieldsReal.tsx'
import { Met } from './form/Met.tsx'
import {
  type Engine,
  FormContext,
  type FormSpec,
  focusField,
  useFormEngine,
} from './form/useForm.ts'
import { Problem, Skeleton } from './Problem.tsx'
import { closeTab, useActiveTab, useDirty, useTabPath, useTabTitle } from './shell/tabs.ts'

type Loaded = {
  readonly isPending: boolean
  readonly error: ApiError | null
  readonly data: unknown
  readonly refetch: () => unknown
}

type Props<E extends Endpoint> = Omit<FormSpec<E>, 'onSaved'> & {
  readonly title: string
  /** Beside the title: number and name of what is edited. */
  readonly subtitle?: ReactNode
  /** Second part of the tab's title. */
  readonly tab?: string
  /** Where saving and cancelling lead; the form's tab closes. */
  readonly back: string
  readonly onSaved?: FormSpec<E>['onSaved']
  /** Looked at, not changed: nothing to save. */
  readonly readOnly?: boolean
  /**
   * The read the form waits for: `const loaded = useRead(products.get, { id }, { inline: true })`.
   */
  readonly loaded?: Loaded
  readonly children: ReactNode
}

/**
 * Create and edit in one: sections of fields, one save row. Start values come with `initial`, also
 * when they arrive late.
 */
export function FormPage<E extends Endpoint>(props: Props<E>) {
  const { title, loaded } = props
  useTabTitle(props.tab)
  return loaded && loaded.data === undefined ? (
    <FormWait title={title} loaded={loaded} />
  ) : (
    <LoadedForm {...props} />
  )
}

function LoadedForm<E extends Endpoint>({
  title,
  loaded,
  subtitle,
  back,
  readOnly = false,
  children,
  ...spec
}: Props<E>) {
  const leave = useLeave()
  const engine = useFormEngine({
    ...spec,
    reload: loaded?.refetch,
    onSaved: spec.onSaved ?? (() => leave(back)),
  })
  return (
    <FormSheet title={title} subtitle={subtitle} engine={engine} back={back} readOnly={readOnly}>
      {children}
    </FormSheet>
  )
}

/** What stands in the place of a form until its record is there. */
export function FormWait({ title, loaded }: { title: string; loaded: Loaded }) {
  const { t } = useTranslation('web')
  return (
    <section className={styles.sheet} aria-label={title}>
      <div className={styles.head}>
        <h1>{title}</h1>
      </div>
      <div className={styles.body}>
        {loaded.error ? (
          <Problem
            error={loaded.error}
            title={t('form.loadFailed', { title })}
            onRetry={() => void loaded.refetch()}
          />
        ) : (
          <div className={styles.section ?? ''}>
            <Skeleton rows={8} />
          </div>
        )}
      </div>
    </section>
  )
}

/** Closes the tab of the form and goes on. */
export function useLeave(): (to: string) => void {
  const navigate = useNavigate()
  const path = useTabPath()
  return (to) => {
    closeTab(path)
    navigate(to)
  }
}

type SheetProps = Pick<Props<Endpoint>, 'title' | 'subtitle' | 'back' | 'readOnly' | 'children'> & {
  readonly engine: Engine
  /** Instead of the one button that saves. */
  readonly buttons?: ReactNode
  /** What Ctrl S does; default: what the button does. */
  readonly onSave?: () => void
}

/**
 * The sheet of a form: title, fields, and the row that saves, leaves, and names what is still to
 * fix.
 */
export function FormSheet({
  title,
  subtitle,
  engine,
  back,
  readOnly = false,
  buttons,
  onSave,
  children,
}: SheetProps) {
  const { t } = useTranslation('web')
  const active = useActiveTab()
  const leave = useLeave()
  const { form, problems, dirty, busy, submit } = engine
  useDirty(dirty)
  useSaveKey(active && !readOnly, onSave ?? submit)
  const cancel = async () => {
    if (!dirty || (await mayLoseChanges())) leave(back)
  }
  return (
    <section className={styles.sheet} aria-label={title}>
      <div className={styles.head}>
        <h1>{title}</h1>
        {subtitle ? <span>{subtitle}</span> : null}
      </div>
      <div className={styles.body}>
        <EngineForm engine={engine}>{children}</EngineForm>
      </div>
      <div className={styles.save}>
        {buttons ??
          (readOnly ? null : (
            <Button type="primary" loading={busy} onClick={submit}>
              {t('action.save')}
            </Button>
          ))}
        <Button onClick={() => void cancel()}>
          {t(readOnly ? 'action.back' : 'action.cancel')}
        </Button>
        <span className={styles.problems} role="status">
          {problems.length > 0 ? t('form.toFix', { count: problems.length }) : null}
          {problems.map((problem) => (
            <button
              key={problem.field}
              type="button"
              title={problem.message}
              onClick={() => focusField(form, problem.field)}
            >
              {problem.label}
            </button>
          ))}
        </span>
        <span className={styles.state}>
          {dirty ? <span>{t('form.unsaved')}</span> : null}
          {readOnly ? null : <span>{t('form.saveHint')}</span>}
        </span>
      </div>
    </section>
  )
}

/** The antd form around fields; checks come from the contract, never from antd's rules. */
export function EngineForm({ engine, children }: { engine: Engine; children: ReactNode }) {
  const { t } = useTranslation('web')
  // forms of other tabs are on the page, too: a label leads to the field of its own
  const name = useId()
  return (
    <FormContext value={engine.context}>
      <Form
        name={name}
        form={engine.form}
        layout="vertical"
        onValuesChange={engine.onChange}
        onFinish={engine.submit}
        onFinishFailed={engine.submit}
        autoComplete="off"
        scrollToFirstError={false}
      >
        <Met engine={engine} />
        {engine.dropKept ? (
          <Alert
            type="info"
            showIcon
            title={t('form.kept')}
            action={
              <Button size="small" onClick={engine.dropKept}>
                {t('form.dropKept')}
              </Button>
            }
          />
        ) : null}
        {children}
        <button type="submit" hidden aria-hidden="true" tabIndex={-1} />
      </Form>
    </FormContext>
  )
}

/** A group of fields: what it is on the left, two columns of fields on the right. */
export const Section = ({
  title,
  purpose,
  children,
}: {
  title: string
  purpose?: string
  children: ReactNode
}) => (
  <section className={styles.section}>
    <div>
      <h2>{title}</h2>
      {purpose ? <p>{purpose}</p> : null}
    </div>
    <div className={styles.fields}>{children}</div>
  </section>
)

function useSaveKey(active: boolean, submit: () => void): void {
  useEffect(() => {
    if (!active) return
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return
      event.preventDefault()
      submit()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [active, submit])
}
