import { useTranslation } from 'react-i18next'
import type { Endpoint } from '../shared/contract.ts'
import { mayLoseChanges } from './confirm.tsx'
import type { FormDialogProps } from './FormDialog.tsx'
import { EngineForm } from './FormPage.tsx'
import styles from './form/Form.module.css'
import { useFormEngine } from './form/useForm.ts'
import { Modal } from './ui/overlay.tsx'
import { useFocusBack } from './useFocusBack.ts'

/** The dialog itself; FormDialog.tsx loads it when it opens. */
export function OpenDialog<E extends Endpoint>(props: FormDialogProps<E>) {
  const { t } = useTranslation('web')
  useFocusBack()
  const engine = useFormEngine({
    ...props,
    onSaved: (answer) => {
      props.onSaved?.(answer)
      props.onClose()
    },
  })
  const cancel = async () => {
    if (!engine.dirty || (await mayLoseChanges())) props.onClose()
  }
  return (
    <Modal
      open
      title={props.title}
      width={props.width ?? 520}
      okText={props.okText ?? t('action.save')}
      okButtonProps={{ danger: props.danger ?? false }}
      cancelText={t('action.cancel')}
      confirmLoading={engine.busy}
      mask={{ closable: !engine.dirty }}
      onOk={engine.submit}
      onCancel={() => void cancel()}
    >
      <div className={styles.dialog}>
        <EngineForm engine={engine}>
          <div className={styles.fields}>{props.children}</div>
        </EngineForm>
      </div>
    </Modal>
  )
}
