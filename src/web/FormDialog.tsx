import { Modal } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Endpoint } from '../shared/contract.ts'
import { useConfirm } from './confirm.tsx'
import { EngineForm } from './FormPage.tsx'
import styles from './form/Form.module.css'
import { type FormSpec, useFormEngine } from './form/useForm.ts'
import { useActiveTab } from './shell/tabs.ts'

type Props<E extends Endpoint> = Omit<FormSpec<E>, 'onSaved'> & {
  readonly title: string
  readonly onClose: () => void
  readonly onSaved?: FormSpec<E>['onSaved']
  readonly okText?: string
  readonly width?: number
  readonly children: ReactNode
}

/** A small form over its page. Render it only while it is open: `{editing ? <FormDialog … /> : null}`. */
export function FormDialog<E extends Endpoint>(props: Props<E>) {
  const active = useActiveTab()
  return active ? <OpenDialog {...props} /> : null
}

function OpenDialog<E extends Endpoint>(props: Props<E>) {
  const { t } = useTranslation('web')
  const confirm = useConfirm()
  const engine = useFormEngine({
    ...props,
    onSaved: (answer) => {
      props.onSaved?.(answer)
      props.onClose()
    },
  })
  const cancel = async () => {
    if (!engine.dirty || (await confirm({ title: t('form.leave'), ok: t('shell.leave'), cancel: t('shell.stay') }))) props.onClose()
  }
  return (
    <Modal
      open title={props.title} width={props.width ?? 520} okText={props.okText ?? t('action.save')} cancelText={t('action.cancel')} confirmLoading={engine.busy} mask={{ closable: !engine.dirty }} onOk={engine.submit} onCancel={() => void cancel()}
    >
      <div className={styles.dialog}><EngineForm engine={engine}><div className={styles.fields}>{props.children}</div></EngineForm></div>
    </Modal>
  )
}
