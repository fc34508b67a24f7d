import { Form, Input, type InputRef } from 'antd'
import { type ReactNode, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Modal } from '../../../web/ui/overlay.tsx'
import { useFocusBack } from '../../../web/useFocusBack.ts'

type Props = {
  id: string
  title: string
  ok: string
  label: string
  /** Asks for a password; otherwise for a code. */
  password?: boolean
  hint?: string | undefined
  ready?: boolean
  busy: boolean
  /** Sends what was typed; `refuse` shows why it was not taken, over an empty field. */
  onSend: (text: string, refuse: (error: { message: string }) => void) => void
  onCancel: () => void
  /** Over the form that asked. */
  over?: boolean
  children: ReactNode
}

/** A dialog for one code or password. */
export function CodeModal(props: Props) {
  const { id, title, ok, label, password = false, hint, ready = true, busy, over = false } = props
  const { t } = useTranslation('web')
  const [text, setText] = useState('')
  const [wrong, setWrong] = useState('')
  const field = useRef<InputRef>(null)
  useFocusBack()
  const can = ready && text !== ''
  const submit = () => {
    if (!can || busy) return
    props.onSend(text, ({ message }) => {
      setWrong(message)
      setText('')
      field.current?.focus()
    })
  }
  const Control = password ? Input.Password : Input
  return (
    <Modal
      open
      width={416}
      title={title}
      okText={ok}
      cancelText={t('action.cancel')}
      okButtonProps={{ disabled: !can }}
      confirmLoading={busy}
      mask={{ closable: false }}
      onOk={submit}
      onCancel={props.onCancel}
      {...(over ? { zIndex: 1100 } : {})}
    >
      {props.children}
      <Form layout="vertical" component={false}>
        <Form.Item
          label={label}
          htmlFor={id}
          {...(wrong ? { validateStatus: 'error' as const, help: wrong } : {})}
          extra={wrong ? undefined : hint}
        >
          <Control
            id={id}
            ref={field}
            value={text}
            autoFocus
            maxLength={128}
            autoComplete={password ? 'current-password' : 'one-time-code'}
            onChange={(event) => setText(event.target.value)}
            onPressEnter={submit}
          />
        </Form.Item>
      </Form>
    </Modal>
  )
}
