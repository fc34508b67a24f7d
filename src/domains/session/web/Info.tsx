import { useTranslation } from 'react-i18next'
import { queryClient, useRead } from '../../../web/api.ts'
import { FormPage, Section } from '../../../web/FormPage.tsx'
import { Fixed, ImageField, TextField } from '../../../web/form/fields.tsx'
import { pickFor } from '../../../web/form/values.ts'
import { usePrefs } from '../../../web/prefs.ts'
import { Time } from '../../../web/Time.tsx'
import { session } from '../contract.ts'

export function Info() {
  const { t } = useTranslation(['session', 'web'])
  const { lang } = usePrefs()
  const loaded = useRead(session.profile, {}, { inline: true })
  const profile = loaded.data
  return (
    <FormPage
      title={t('web:info.title')}
      subtitle={profile?.username}
      ns="session"
      save={session.editProfile}
      loaded={loaded}
      initial={profile ? pickFor(session.editProfile.input, profile) : {}}
      back="/home"
      success="session:success.editProfile"
      onSaved={(saved) => {
        queryClient.setQueryData([session.profile.path, {}], saved)
        void queryClient.invalidateQueries({ queryKey: ['session.user'] })
      }}
    >
      <Section title={t('web:info.basic')} purpose={t('web:info.basicPurpose')}>
        <ImageField name="img" />
        <TextField name="realName" count />
        <TextField name="phone" />
        <TextField name="address" wide count />
      </Section>
      <Section title={t('web:info.account')} purpose={t('web:info.accountPurpose')}>
        <Fixed label={t('fields.username')}>{profile?.username}</Fixed>
        <Fixed label={t('fields.orgName')}>{profile?.orgName}</Fixed>
        <Fixed label={t('fields.roles')}>{profile?.roleNames.map((role) => (lang === 'en' ? role.en : role.zh)).join(' / ')}</Fixed>
        <Fixed label={t('fields.lastLogin')}>
          {profile?.lastLogin ? (
            <>
              <Time at={profile.lastLogin.at} style="full" /> {profile.lastLogin.ip}
            </>
          ) : (
            t('web:info.none')
          )}
        </Fixed>
      </Section>
    </FormPage>
  )
}
