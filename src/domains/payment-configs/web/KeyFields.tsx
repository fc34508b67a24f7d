import { useTranslation } from 'react-i18next'
import { TextAreaField, TextField } from '../../../web/form/fields.tsx'
import type { Provider } from '../../payment-channels/rules.ts'
import { takesSecret } from '../rules.ts'

/** Keys are written, never shown: those of this channel. `first`: it cannot do without them. */
export function KeyFields({ provider, first }: { provider: Provider; first: boolean }) {
  const { t } = useTranslation('paymentConfigs')
  const required = first && provider !== 'SIMULATOR'
  const own = { password: true, autoComplete: 'new-password', required } as const
  const pem = { rows: 2, required, placeholder: t('pemHint') }
  return (
    <>
      {takesSecret(provider, 'desKey') ? (
        <>
          <TextField name="desKey" {...own} />
          <TextField name="saltMd5Key" {...own} />
        </>
      ) : null}
      {takesSecret(provider, 'apiV3Key') ? <TextField name="apiV3Key" {...own} /> : null}
      {takesSecret(provider, 'privateKey') ? (
        <>
          <TextAreaField name="privateKey" {...pem} />
          {provider === 'WECHAT' ? (
            <>
              <TextAreaField name="certificate" {...pem} />
              <TextField name="channelKeyId" placeholder="PUB_KEY_ID_…" />
            </>
          ) : null}
          <TextAreaField name="channelKey" {...pem} required={required && provider === 'ALIPAY'} />
        </>
      ) : null}
    </>
  )
}
