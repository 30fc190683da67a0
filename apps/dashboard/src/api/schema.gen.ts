// Generated from docs/openapi.administration.json by `npm run docs`. Change the API's description instead.
export interface paths {
    "/v1/admin/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List apps, newest first
         * @description With an administration key: only its app.
         */
        get: operations["listApps"];
        put?: never;
        /** Make an app */
        post: operations["createApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an app */
        get: operations["readApp"];
        put?: never;
        post?: never;
        /** Delete an app */
        delete: operations["deleteApp"];
        options?: never;
        head?: never;
        /** Change the name or settings of an app */
        patch: operations["changeApp"];
        trace?: never;
    };
    "/v1/admin/apps/{appId}/identity-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make the secret that signs identity tokens, in the place of an earlier one */
        post: operations["makeIdentitySecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the API keys of an app, newest first */
        get: operations["listKeys"];
        put?: never;
        /** Make an API key; its text is shown this once */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke an API key */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/admin-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the administration keys of an app, newest first */
        get: operations["listAdminKeys"];
        put?: never;
        /**
         * Make a key of the administration for this app; its text is shown this once
         * @description The key is used like the administration token, on routes of this app. The x-required-scope of an operation says which scope it needs; with `platform` no such key is enough, with `any` each is.
         */
        post: operations["createAdminKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/admin-keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke an administration key; the sessions that began with it end */
        delete: operations["revokeAdminKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/providers/apns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the credentials, without secrets, and the circuits to the provider */
        get: operations["read-apns"];
        /**
         * Set the APNs credentials
         * @description When the app has credentials, the provider is asked about the new ones first, and nobody gets a push: when it does not take them, the answer is 422 with its word and what to do, and when it cannot be asked, 409. Those in use stay then. The replaced ones are kept for a rollback.
         */
        put: operations["setApns"];
        post?: never;
        /** Remove the credentials, also the former ones */
        delete: operations["remove-apns"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/providers/fcm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the credentials, without secrets, and the circuits to the provider */
        get: operations["read-fcm"];
        /**
         * Set the FCM credentials
         * @description When the app has credentials, the provider is asked about the new ones first, and nobody gets a push: when it does not take them, the answer is 422 with its word and what to do, and when it cannot be asked, 409. Those in use stay then. The replaced ones are kept for a rollback.
         */
        put: operations["setFcm"];
        post?: never;
        /** Remove the credentials, also the former ones */
        delete: operations["remove-fcm"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/providers/webpush": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the credentials, without secrets, and the circuits to the provider */
        get: operations["read-webpush"];
        /**
         * Set the Web Push credentials; keys are made when there are none
         * @description When the app has credentials, the provider is asked about the new ones first, and nobody gets a push: when it does not take them, the answer is 422 with its word and what to do, and when it cannot be asked, 409. Those in use stay then. The replaced ones are kept for a rollback.
         */
        put: operations["setWebPush"];
        post?: never;
        /** Remove the credentials, also the former ones */
        delete: operations["remove-webpush"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/providers/apns/probe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Probe the provider now where a circuit is open; answers how many circuits are */
        post: operations["probe-apns"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/providers/apns/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ask the provider whether it takes the credentials; nobody gets a push */
        post: operations["check-apns"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/providers/apns/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Bring back the credentials that were replaced last; those in use are kept in their place */
        post: operations["rollback-apns"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/providers/fcm/probe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Probe the provider now where a circuit is open; answers how many circuits are */
        post: operations["probe-fcm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/providers/fcm/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ask the provider whether it takes the credentials; nobody gets a push */
        post: operations["check-fcm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/providers/fcm/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Bring back the credentials that were replaced last; those in use are kept in their place */
        post: operations["rollback-fcm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/providers/webpush/probe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Probe the provider now where a circuit is open; answers how many circuits are */
        post: operations["probe-webpush"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/providers/webpush/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ask the provider whether it takes the credentials; nobody gets a push */
        post: operations["check-webpush"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/providers/webpush/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Bring back the credentials that were replaced last; those in use are kept in their place */
        post: operations["rollback-webpush"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/pushes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List pushes with their outcomes, newest first; open pushes come before the others, with the last answer of their provider */
        get: operations["listPushes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/pushes.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Export all pushes that match the filters as a CSV; a connection that is cut means that some are missing */
        get: operations["exportPushes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Explain why a device, or the devices of a user, got a campaign or did not */
        get: operations["explainSend"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the webhook endpoints of an app, newest first */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Make a webhook endpoint; its secret is shown this once
         * @description To name the URL an administration key needs the scope people too, because events name users.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a webhook endpoint */
        get: operations["readWebhook"];
        put?: never;
        post?: never;
        /** Delete a webhook endpoint and the events that wait for it */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook endpoint, or switch it off
         * @description To name the URL an administration key needs the scope people too, because events name users.
         */
        patch: operations["changeWebhook"];
        trace?: never;
    };
    "/v1/admin/apps/{appId}/webhooks/{id}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Switch a webhook endpoint on again; its failures are forgotten */
        post: operations["enableWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make a new secret, shown this once; the old one is void at once */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a signed ping and answer the status of the response */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the deliveries of a webhook endpoint with their attempts, newest first */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/webhooks/{id}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a delivery with its attempts and, while it is kept, its body */
        get: operations["readWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/webhooks/{id}/deliveries/{deliveryId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a delivery again, with the same id and bytes */
        post: operations["replayWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Watch what happens to pushes, as server-sent events: what webhook endpoints would get
         * @description `watching` comes first; then `event` for each event and, when more than 100 came in a second or the stream was not read, `dropped` with how many were left out. `heartbeat` comes whenever nothing else came for 10 seconds.
         */
        get: operations["watchEventsOfApp"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tags that users have, by name: type, number of users and sample values
         * @description At most the 2,000 most frequent, counted at most once in 30 s. Of an app with more than 10,000 users a sample is read; then `exact` is false, and each number has its 95 % interval.
         */
        get: operations["listTagsOfApp"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what was done that belongs to no app, newest first: sessions begun, refused and ended, sign-in links made */
        get: operations["listAuditOfHerald"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List who changed what and when, newest first; it can be filtered by action or its beginning, actor, id and time */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/segments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List saved segments, newest first */
        get: operations["listSegmentsOfApp"];
        put?: never;
        /** Save a segment */
        post: operations["createSegmentOfApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/segments/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Count the devices that a segment would reach
         * @description Counts devices that are opted in and not invalidated, as a send would. Without a segment, or with {}, everyone is counted.
         */
        post: operations["previewSegmentOfApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/segments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a saved segment */
        get: operations["readSegmentOfApp"];
        /**
         * Replace a saved segment
         * @description Replaces name, description and definition, and clears the stored count. Campaigns already sent keep what they copied.
         */
        put: operations["replaceSegmentOfApp"];
        post?: never;
        /**
         * Delete a saved segment
         * @description A draft that still points at it gets 404 when it is sent.
         */
        delete: operations["deleteSegmentOfApp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/segments/{id}/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Count the devices of a saved segment and keep the count */
        post: operations["countSegmentOfApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List templates, newest first */
        get: operations["listTemplatesOfApp"];
        put?: never;
        /** Make a template */
        post: operations["createTemplateOfApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/templates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a template */
        get: operations["readTemplateOfApp"];
        /**
         * Replace a template
         * @description Replaces the whole: an optional field that is left out is removed. Campaigns that used it keep their copy.
         */
        put: operations["replaceTemplateOfApp"];
        post?: never;
        /**
         * Delete a template
         * @description Campaigns that used it keep their copy.
         */
        delete: operations["deleteTemplateOfApp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/categories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List categories, in the order in which they were made
         * @description An app has at most 50, so the list is always whole: it has one page, whatever the query says.
         */
        get: operations["listCategories"];
        put?: never;
        /**
         * Make a category of notifications, which people may join or leave
         * @description Sends, campaigns and templates name it by its id. `default` says who is in it without a choice of their own. Nobody can leave a `locked` one. Its `presentation` lies under that of the template and of the send. An app has at most 50.
         */
        post: operations["createCategory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/categories/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace a category
         * @description Replaces the whole: an optional field that is left out is removed. Sends that were asked for keep what they have frozen of it.
         */
        put: operations["replaceCategory"];
        post?: never;
        /**
         * Delete a category
         * @description 409 while a campaign that is scheduled, active, paused or under way names it. People’s choices stay, for a category that is made again with the same id.
         */
        delete: operations["deleteCategory"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/campaigns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List campaigns with their counters, newest first */
        get: operations["listCampaignsOfApp"];
        put?: never;
        /**
         * Make a draft of a campaign
         * @description Nothing is sent. With neither segment nor segmentId it is for everyone. Fields given here win over those of the template.
         */
        post: operations["createCampaignOfApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/campaigns/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a campaign with its counters and rates */
        get: operations["readCampaignOfApp"];
        /** Replace a draft */
        put: operations["replaceCampaignOfApp"];
        post?: never;
        /** Delete a draft */
        delete: operations["deleteCampaignOfApp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/campaigns/{id}/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a draft, or start its schedule
         * @description With delaySeconds a campaign that would go out at once is scheduled for then, and can be taken back until it goes out. For any other schedule the delay is ignored, since the campaign can be taken back or cancelled before it begins. Above the devices of the app’s setting `approval` the campaign stays a draft with status `draft`, until another session or administration key sends the same request; for who asked first that is 403.
         */
        post: operations["sendCampaignOfApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/campaigns/{id}/experiment/winner": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the winning variant to the rest of the audience
         * @description Makes and sends a campaign of its own to everyone who was held out of the experiment. With delaySeconds it is scheduled for then, and can be taken back until it goes out.
         */
        post: operations["pickWinnerOfApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/campaigns/{id}/unsend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a scheduled campaign back before it goes out: it is a draft again
         * @description A winner is taken back from its experiment, which is open again: the winner’s campaign is deleted.
         */
        post: operations["unsendCampaignOfApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/campaigns/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel a campaign, also one under way: 202 until its last push has an outcome */
        post: operations["cancelCampaignOfApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/campaigns/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pause a send under way, or a recurrence: no run begins */
        post: operations["pauseCampaignOfApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/campaigns/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Resume a paused send, or a recurrence from its next occurrence on */
        post: operations["resumeCampaignOfApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/campaigns/{id}/rate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change how many pushes a minute a campaign hands over
         * @description A send under way obeys within 2 seconds; null takes the limit away. A recurrence gives the rate to its next runs.
         */
        post: operations["changeRateOfCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/campaigns/{id}/duplicate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make a draft that is a copy of a campaign */
        post: operations["duplicateCampaignOfApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/campaigns/{id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Count the ledger of a campaign again and compare it with its counters */
        get: operations["verifyCampaignOfApp"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/campaigns/{id}/waves": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the waves of a send in their order: instant, zones and what each has queued
         * @description The list is empty before the fan-out begins, and again FAN_OUT_RETENTION_DAYS (7) after the send is settled.
         */
        get: operations["listWavesOfCampaign"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/campaigns/{id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the runs of a recurrence with their counters, newest first */
        get: operations["listRunsOfCampaign"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/campaigns/{id}/occurrences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List when a recurrence runs next
         * @description A draft is listed as if it were sent now. The list is empty for a campaign that does not recur or has ended.
         */
        get: operations["listOccurrencesOfCampaign"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/campaigns/{id}/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow how far a send has come, as server-sent events
         * @description `progress` comes at once and with each change, and `end` when the send is over. `heartbeat` comes whenever nothing else came for 10 seconds.
         */
        get: operations["followCampaignOfApp"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/campaigns/{id}/recall": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Recall a campaign that went out by mistake
         * @description Cancels what is unsent. With `replace` or `dismiss` a follow-up then asks each device to which the campaign was sent to show another text in its place, or to remove it. Devices are asked, and what was read is read: a device that is off gets the follow-up later or never, and browsers cannot be asked to remove.
         */
        post: operations["recallCampaignOfApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/campaigns/{id}/experiment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what an experiment shows, with a test that you may look at as often as you like
         * @description Users are counted, not devices, at most once a minute.
         */
        get: operations["readExperiment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/campaigns/{id}/uplift": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what a campaign has caused: who was meant to get it against who was held out
         * @description By intention to treat: all queued users, whether their push was sent or not; conversions count whether attributed or not.
         */
        get: operations["readCampaignUplift"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/holdout/uplift": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read what all campaigns of a time have caused: who was meant to get them against who was held out */
        get: operations["readHoldoutUplift"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/holdout/redraw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Hold out other users from now on */
        post: operations["redrawHoldout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/drafts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what is written and not yet a campaign, newest first, without the texts */
        get: operations["listDrafts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/drafts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a draft that is not yet a campaign */
        get: operations["readDraft"];
        /**
         * Save what is written, over the revision that was seen
         * @description The client chooses the id, 24 hexadecimal characters. With a revision that is not the present one the answer is 409: somebody else has saved it since. Repeating a save changes nothing. An app has at most 200 drafts.
         */
        put: operations["saveDraft"];
        post?: never;
        /** Delete a draft that is not yet a campaign */
        delete: operations["deleteDraft"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/pictures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the pictures of an app, newest first */
        get: operations["listPictures"];
        put?: never;
        /**
         * Upload a picture for messages
         * @description JPEG, PNG, WebP or GIF of at most 1 MiB and 4,096 by 4,096 pixels. Herald writes it anew, without what the file says besides the picture: as GIF when it is one, as PNG when it can be seen through, else as JPEG. The same picture is kept once. An app has at most mostPictures of its settings.
         */
        post: operations["addPicture"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/pictures/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a picture; within a minute no device can load it any more */
        delete: operations["deletePicture"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/dry-run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a notification, a campaign or a stored campaign without sending it
         * @description Answers whom the send would reach, who would be skipped and why, when, in which languages, and how large the pushes are. The code that sends counts and renders here too. Nothing is sent or written. Samples show values of users, so they need the scope users:read too (of an administration key: people).
         */
        post: operations["dryRunNotificationOfApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/test-send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test to single devices and answer what became of it; 202 when that takes longer than 10 seconds
         * @description Tests the send fields, or the content of a campaign or of a variant of it. `subscriptionId` may be any device; the other selectors reach test devices only. A test obeys no delivery rule and is counted in no series. 202 has the results so far: repeat the request with the same Idempotency-Key to wait for all of them.
         */
        post: operations["sendTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/test-devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the test devices, the one marked last first */
        get: operations["listTestDevices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an app at a glance: devices, the last days, what begins next and what needs attention */
        get: operations["readOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what was queued, what became of it and what devices reported, by UTC hour or day
         * @description Hours reach back 35 days, days 400. An answer has at most 2,000 points; by platform each bucket has 3.
         */
        get: operations["readSeries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/devices/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how many devices there were at the end of each UTC day, by platform
         * @description Days reach back 400 days. A day on which no process could count is absent.
         */
        get: operations["readDeviceSeries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/campaigns/{id}/curve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read when devices reported of a campaign, by the time since its first push was queued */
        get: operations["readCurve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/campaigns/{id}/breakdown": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the counters of a campaign by platform, code, variant and button */
        get: operations["readBreakdown"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/users/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Export all users by id, each with its devices in one line */
        get: operations["exportUsersOfApp"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/users/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Export all that Herald has of one user: the user, devices, preferences, pushes with what was reported of them, conversions, webhook deliveries */
        get: operations["exportUserOfApp"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/campaigns/{id}/pushes/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Export the pushes of a campaign with what became of them, in the order in which they were queued */
        get: operations["exportPushesOfCampaign"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List users with the number of their devices, newest first */
        get: operations["listUsersOfApp"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/users/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Find the user of a device by its token or endpoint */
        post: operations["searchUsersOfApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a user with all devices, the newest pushes and the newest conversions */
        get: operations["readUserOfApp"];
        put?: never;
        post?: never;
        /** Erase a user with all devices */
        delete: operations["deleteUserOfApp"];
        options?: never;
        head?: never;
        /** Change a user */
        patch: operations["changeUserOfApp"];
        trace?: never;
    };
    "/v1/admin/apps/{appId}/users/{id}/preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Let a user join or leave categories
         * @description True joins, false leaves, null takes the own choice back, so that the default of the category holds. A locked category is 422.
         */
        patch: operations["changePreferencesOfApp"];
        trace?: never;
    };
    "/v1/admin/apps/{appId}/users/{id}/inbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the inbox of a user as the user sees it */
        get: operations["readInboxOfApp"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/subscriptions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a device with its owner and the newest pushes */
        get: operations["readSubscriptionOfApp"];
        put?: never;
        post?: never;
        /** Remove a device */
        delete: operations["deleteSubscriptionOfApp"];
        options?: never;
        head?: never;
        /**
         * Change what a device said of itself, whether it is opted in, or whether it is a test device
         * @description No API key can mark a test device: with one the frequency cap could be got around.
         */
        patch: operations["changeSubscriptionOfApp"];
        trace?: never;
    };
    "/v1/admin/apps/{appId}/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List imports, newest first; they are kept for 30 days */
        get: operations["listImports"];
        put?: never;
        /** Begin an import of devices; an app has one at a time */
        post: operations["startImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/imports/{id}/data": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Send the file of an import, or a part of it from the offset on
         * @description Raw UTF-8, at most 4 GiB in all. The answer has the offset of the next part; after a broken connection read the import and continue at its `offset`. Any other offset is 409, with the right one in the detail at `offset`.
         */
        put: operations["sendImportData"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/imports/{id}/finish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End an import: its file is complete */
        post: operations["finishImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/imports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read how far an import has come, and what became of its rows */
        get: operations["readImport"];
        put?: never;
        post?: never;
        /** Cancel an import; the devices that it has written stay */
        delete: operations["cancelImport"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/imports/{id}/errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List why rows of an import were rejected, in their order: the first 10,000 */
        get: operations["listImportErrors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document */
        get: operations["readAdministrationDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the session of the cookie; 401 when there is none */
        get: operations["readSession"];
        put?: never;
        /**
         * Sign in with the administration token, an administration key or the code of a sign-in link; sets the cookie of the session
         * @description Changes made with the cookie need the header x-csrf-token. After ten wrong tokens, keys or codes from an address within a minute the answer is 429.
         */
        post: operations["beginSession"];
        /** Sign out: the session of the cookie ends */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the sessions that last, the one that was used last first: at most 200 */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End a session, of whomever; its browser is signed out at every gateway */
        delete: operations["endSessionById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/sign-in-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a link that signs in once, within ten minutes
         * @description The code stands behind #, so it reaches no log of a server. At most 100 links wait to be used; beyond that the oldest is deleted.
         */
        post: operations["makeSignInLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/simulator/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Give an app that has no credentials of a kind an account at the simulated provider */
        post: operations["takeSimulatedAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/simulator/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the virtual devices that an app reaches, newest first; those that an operator added come before the demo’s */
        get: operations["listSimulatedDevices"];
        put?: never;
        /**
         * Add a virtual phone or browser, and register it
         * @description It reports delivered by itself when it shows a push; opened, clicked and dismissed are up to the operator.
         */
        post: operations["addSimulatedDevice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/simulator/devices/{deviceId}/behaviour": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Say what a virtual device answers from now on: ok, dead, slow, throttled and others */
        put: operations["setSimulatedBehaviour"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/simulator/devices/{deviceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Uninstall the app from a virtual device: from now on its provider answers that the token is unknown */
        delete: operations["removeSimulatedDevice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/simulator/pushes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what the virtual devices of an app got, newest first, among the newest 20,000 pushes */
        get: operations["listSimulatedPushes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/simulator/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Watch what virtual devices get, as server-sent events
         * @description `watching` comes first; then `push` for each push, `dropped` with how many were left out when more than 100 came in a second, and `waiting` when the simulator does not answer. `heartbeat` comes whenever nothing else came for 10 seconds.
         */
        get: operations["watchSimulator"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/system": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how Herald as a whole is doing; what cannot be known now is null
         * @description With an administration key: without the circuits of other apps.
         */
        get: operations["readSystem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Which devices a segment matches; {} means everyone. At most 8 levels deep, with at most 100 leaves and 10,000 listed values; one that costs too much per device is refused at the leaf that is too much. */
        Segment: Record<string, never> | components["schemas"]["SegmentNode"];
        SegmentNode: {
            field: string;
            /** @enum {string} */
            op: "eq" | "ne" | "in" | "nin" | "gt" | "gte" | "lt" | "lte" | "exists" | "contains" | "startsWith";
            /** @description A text, number or truth value; for `in` and `nin` 1 to 500 of them. Dates may be relative: -14d, +2h. */
            value: unknown;
        } | {
            and: components["schemas"]["SegmentNode"][];
        } | {
            or: components["schemas"]["SegmentNode"][];
        } | {
            not: components["schemas"]["SegmentNode"];
        };
        Error: {
            error: {
                /** @description One of a fixed list: programs decide by it. */
                code: string;
                /** @description A sentence for people. */
                message: string;
                /** @description Which fields are wrong. */
                details?: {
                    path: string;
                    message: string;
                }[];
            };
        };
        CreateAppBody: {
            name: string;
        };
        AppRead: {
            id: components["schemas"]["Id"];
            name: string;
            settings: {
                defaultTimezone: string;
                frequencyCap: {
                    max: number;
                    windowSeconds: number;
                } | null;
                quietHours: {
                    start: string;
                    end: string;
                    /** @enum {string} */
                    action: "hold" | "skip";
                } | null;
                /** @enum {string} */
                identityVerification: "off" | "required";
                attribution: {
                    /**
                     * @description A push that was opened or clicked this long before is the direct cause.
                     * @default 24
                     */
                    directHours: number;
                    /**
                     * @description Else a push that was sent this long before has influenced; 0: none.
                     * @default 1
                     */
                    influencedHours: number;
                };
                conversions: {
                    /** @default false */
                    publicValues: boolean;
                };
                inboxDays: number;
                /** @description A send of the dashboard to more devices than this needs a second person; null: none does. */
                approval: {
                    devices: number;
                } | null;
                /** @description How many uploaded pictures the app may have, each of at most 1 MiB. */
                mostPictures: number;
                holdout: {
                    percent: number;
                    /**
                     * Format: date-time
                     * @description When it was switched on or drawn anew.
                     */
                    since: string;
                    /** @description How often it was drawn. */
                    generation: number;
                } | null;
            };
            /** Format: date-time */
            createdAt: string;
        };
        /** @description An id: 24 lower-case hexadecimal characters. */
        Id: string;
        AppList: {
            items: components["schemas"]["AppRead"][];
            /** @description The cursor of the next page; null on the last page. */
            nextCursor: string | null;
        };
        ChangeAppBody: {
            name?: string;
            settings?: {
                defaultTimezone?: string;
                frequencyCap?: {
                    max: number;
                    windowSeconds: number;
                } | null;
                quietHours?: {
                    start: string;
                    end: string;
                    /** @enum {string} */
                    action: "hold" | "skip";
                } | null;
                /** @enum {string} */
                identityVerification?: "off" | "required";
                attribution?: {
                    /**
                     * @description A push that was opened or clicked this long before is the direct cause.
                     * @default 24
                     */
                    directHours: number;
                    /**
                     * @description Else a push that was sent this long before has influenced; 0: none.
                     * @default 1
                     */
                    influencedHours: number;
                };
                conversions?: {
                    /** @default false */
                    publicValues: boolean;
                };
                inboxDays?: number;
                /** @description A send of the dashboard to more devices than this needs a second person; null: none does. */
                approval?: {
                    devices: number;
                } | null;
                /** @description How many uploaded pictures the app may have, each of at most 1 MiB. */
                mostPictures?: number;
                holdout?: {
                    percent: number;
                } | null;
            };
        };
        IdentitySecret: {
            /** @description Shown this once. */
            secret: string;
        };
        CreateKeyBody: {
            /** @enum {string} */
            kind: "secret" | "public";
            name: string;
            scopes?: ("subscriptions:write" | "subscriptions:read" | "users:read" | "users:write" | "notifications:send" | "campaigns:read" | "campaigns:write")[];
        };
        MadeApiKey: {
            id: components["schemas"]["Id"];
            /** @enum {string} */
            kind: "secret" | "public";
            name: string;
            scopes: ("subscriptions:write" | "subscriptions:read" | "users:read" | "users:write" | "notifications:send" | "campaigns:read" | "campaigns:write")[];
            /** @description How the key ends. */
            hint: string;
            /** @description The whole key when it is public; null for a secret key, and for public keys of version 0.2.0. */
            publicText: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description The hour in which the key was last used, as a rule a minute late at most; null while no use is noted. */
            lastUsedAt: string | null;
            /** @description The key’s text, shown this once. */
            key: string;
        };
        ApiKeyList: {
            items: components["schemas"]["ApiKey"][];
            /** @description The cursor of the next page; null on the last page. */
            nextCursor: string | null;
        };
        ApiKey: {
            id: components["schemas"]["Id"];
            /** @enum {string} */
            kind: "secret" | "public";
            name: string;
            scopes: ("subscriptions:write" | "subscriptions:read" | "users:read" | "users:write" | "notifications:send" | "campaigns:read" | "campaigns:write")[];
            /** @description How the key ends. */
            hint: string;
            /** @description The whole key when it is public; null for a secret key, and for public keys of version 0.2.0. */
            publicText: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description The hour in which the key was last used, as a rule a minute late at most; null while no use is noted. */
            lastUsedAt: string | null;
        };
        CreateAdminKeyBody: {
            name: string;
            scopes: ("read" | "send" | "people" | "settings")[];
        };
        MadeAdminKey: {
            id: components["schemas"]["Id"];
            name: string;
            scopes: ("read" | "send" | "people" | "settings")[];
            /** @description How the key ends. */
            hint: string;
            /** Format: date-time */
            createdAt: string;
            /** @description The hour in which the key was last used, as a rule a minute late at most; null while no use is noted. */
            lastUsedAt: string | null;
            /** @description The key’s text, shown this once. */
            key: string;
        };
        AdminKeyList: {
            items: components["schemas"]["AdminKeyRead"][];
            /** @description The cursor of the next page; null on the last page. */
            nextCursor: string | null;
        };
        AdminKeyRead: {
            id: components["schemas"]["Id"];
            name: string;
            scopes: ("read" | "send" | "people" | "settings")[];
            /** @description How the key ends. */
            hint: string;
            /** Format: date-time */
            createdAt: string;
            /** @description The hour in which the key was last used, as a rule a minute late at most; null while no use is noted. */
            lastUsedAt: string | null;
        };
        SetApnsBody: {
            teamId: string;
            keyId: string;
            privateKey: string;
            bundleId: string;
            /** @enum {string} */
            environment: "production" | "sandbox";
        };
        SetApnsAnswer: {
            teamId: string;
            keyId: string;
            bundleId: string;
            /** @enum {string} */
            environment: "production" | "sandbox";
        };
        SetFcmBody: {
            serviceAccount: {
                project_id: string;
                client_email: string;
                private_key: string;
                private_key_id?: string;
                token_uri?: string;
                /** @constant */
                type?: "service_account";
                client_id?: string;
                auth_uri?: string;
                auth_provider_x509_cert_url?: string;
                client_x509_cert_url?: string;
                universe_domain?: string;
            };
        };
        SetFcmAnswer: {
            projectId: string;
            clientEmail: string;
            tokenUri: string;
        };
        SetWebPushBody: {
            subject: string;
            publicKey?: string;
            privateKey?: string;
        };
        SetWebPushAnswer: {
            subject: string;
            publicKey: string;
        };
        Circuit: {
            /** @enum {string} */
            platform: "ios" | "android" | "web";
            /**
             * @description The environment of APNs; empty for other platforms.
             * @enum {string}
             */
            environment: "" | "production" | "sandbox";
            /** @description Why the circuit is open. */
            code: ("token_dead" | "token_invalid" | "sender_mismatch" | "payload_too_large" | "payload_invalid" | "credentials_invalid" | "not_configured" | "rate_limited" | "provider_unavailable" | "network_error" | "timeout" | "encryption_failed" | "internal") | null;
            /** Format: date-time */
            since: string;
            /** @description When the next probe is made. */
            probeAt: string | null;
            /** @enum {string} */
            state: "closed" | "open";
            /** @description Pushes that wait for the circuit to close. */
            heldCount: number;
        };
        "Read-apnsAnswer": {
            teamId: string;
            keyId: string;
            bundleId: string;
            /** @enum {string} */
            environment: "production" | "sandbox";
            circuits: components["schemas"]["Circuit"][];
            /** @description The credentials that a rollback would bring back; null when none are kept. */
            former: {
                teamId: string;
                keyId: string;
                bundleId: string;
                /** @enum {string} */
                environment: "production" | "sandbox";
                /** Format: date-time */
                replacedAt: string;
            } | null;
        };
        Probed: {
            /** @description How many circuits were open. */
            open: number;
        };
        ProviderChecked: {
            /** @description True when the provider takes the credentials. */
            ok: boolean;
            /** @description The code with which pushes would fail; null when the credentials are fine. */
            code: ("token_dead" | "token_invalid" | "sender_mismatch" | "payload_too_large" | "payload_invalid" | "credentials_invalid" | "not_configured" | "rate_limited" | "provider_unavailable" | "network_error" | "timeout" | "encryption_failed" | "internal") | null;
            /** @description The provider’s own words, also when the credentials are fine. */
            providerCode: string | null;
            /** @description What to do about the code; null when there is no code. */
            remedy: string | null;
        };
        "Rollback-apnsAnswer": {
            teamId: string;
            keyId: string;
            bundleId: string;
            /** @enum {string} */
            environment: "production" | "sandbox";
        };
        "Read-fcmAnswer": {
            projectId: string;
            clientEmail: string;
            tokenUri: string;
            circuits: components["schemas"]["Circuit"][];
            /** @description The credentials that a rollback would bring back; null when none are kept. */
            former: {
                projectId: string;
                clientEmail: string;
                tokenUri: string;
                /** Format: date-time */
                replacedAt: string;
            } | null;
        };
        "Rollback-fcmAnswer": {
            projectId: string;
            clientEmail: string;
            tokenUri: string;
        };
        "Read-webpushAnswer": {
            subject: string;
            publicKey: string;
            circuits: components["schemas"]["Circuit"][];
            /** @description The credentials that a rollback would bring back; null when none are kept. */
            former: {
                subject: string;
                publicKey: string;
                /** Format: date-time */
                replacedAt: string;
            } | null;
        };
        "Rollback-webpushAnswer": {
            subject: string;
            publicKey: string;
        };
        ListPushesAnswer: {
            items: {
                campaignId: components["schemas"]["Id"];
                subscriptionId: components["schemas"]["Id"];
                userId: components["schemas"]["Id"];
                /** @enum {string} */
                platform: "ios" | "android" | "web";
                variant: string | null;
                /** @enum {string} */
                outcome: "sent" | "failed" | "skipped" | "open";
                /** @description One of token_dead, token_invalid, sender_mismatch, payload_too_large, payload_invalid, credentials_invalid, not_configured, rate_limited, provider_unavailable, network_error, timeout, encryption_failed, internal, deleted, owner_changed, invalidated, holdout, unsubscribed, opted_out, expired, silent_web, quiet_hours, frequency_cap, empty_content, cancelled. */
                code: string | null;
                providerCode: string | null;
                attempts: number;
                /** @description Null while the push is open. */
                settledAt: string | null;
                engagements: ("delivered" | "opened" | "clicked" | "dismissed")[];
                /**
                 * @description Only on a push that is open.
                 * @enum {string}
                 */
                state?: "waiting" | "sending" | "held" | "retry";
                /** @description Only on a push that is open; null when it is tried at once or being sent. */
                nextTryAt?: string | null;
                /** @description Of the user; null for one without, or who was erased. */
                externalId: string | null;
            }[];
            /** @description The cursor of the next page; null on the last page. */
            nextCursor: string | null;
        };
        ExplainSendAnswer: {
            campaignId: components["schemas"]["Id"];
            /** @enum {string} */
            status: "draft" | "scheduled" | "sending" | "active" | "sent" | "cancelled" | "failed" | "paused";
            startedAt: string | null;
            fannedOutAt: string | null;
            user: {
                id: components["schemas"]["Id"];
                externalId: string | null;
            } | null;
            devices: {
                subscriptionId: components["schemas"]["Id"];
                platform: ("ios" | "android" | "web") | null;
                /** @enum {string} */
                verdict: "sent" | "failed" | "skipped" | "in_flight" | "retrying" | "held" | "waiting" | "not_queued";
                /** @enum {string} */
                certainty: "recorded" | "derived" | "likely";
                sentence: string;
                waitingFor: ({
                    /** @constant */
                    kind: "schedule";
                    at: string | null;
                } | {
                    /** @constant */
                    kind: "fan_out";
                    /** @description Devices that were looked at so far. */
                    scanned: number;
                    /** @description Null: not counted. */
                    of: number | null;
                } | {
                    /** @constant */
                    kind: "window";
                } | {
                    /** @constant */
                    kind: "wave";
                    /** Format: date-time */
                    at: string;
                    wave: number;
                    of: number;
                } | {
                    /** @constant */
                    kind: "paused";
                    since: string | null;
                    /** @description A pause ends as a cancel then. */
                    at: string | null;
                } | {
                    /** @constant */
                    kind: "circuit";
                    /** @enum {string} */
                    platform: "ios" | "android" | "web";
                    environment: string;
                    code: ("token_dead" | "token_invalid" | "sender_mismatch" | "payload_too_large" | "payload_invalid" | "credentials_invalid" | "not_configured" | "rate_limited" | "provider_unavailable" | "network_error" | "timeout" | "encryption_failed" | "internal") | null;
                    /** Format: date-time */
                    since: string;
                    probeAt: string | null;
                    at: string | null;
                } | {
                    /** @constant */
                    kind: "quota";
                    /** Format: date-time */
                    at: string;
                } | {
                    /** @constant */
                    kind: "retry";
                    /** Format: date-time */
                    at: string;
                    code: string | null;
                    providerCode: string | null;
                } | {
                    /** @constant */
                    kind: "provider";
                    /** @description Until when a dispatcher has it; then another may take it. */
                    at: string | null;
                } | {
                    /** @constant */
                    kind: "rate";
                    at: string | null;
                    perMinute: number;
                }) | null;
                steps: ({
                    /** @constant */
                    step: "device";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    createdAt: string | null;
                    /** @description It was there when the send began; null: the send has not begun. */
                    inBounds: boolean | null;
                    deleted: boolean;
                } | {
                    /** @constant */
                    step: "reachable";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    optedIn: boolean;
                    optedOutAt: string | null;
                    invalidatedAt: string | null;
                    invalidatedBy: {
                        code: string;
                        campaignId: components["schemas"]["Id"] | null;
                    } | null;
                    /** Format: date-time */
                    registeredAt: string;
                } | {
                    /** @constant */
                    step: "owner";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    queuedFor: components["schemas"]["Id"];
                    ownerNow: components["schemas"]["Id"] | null;
                } | {
                    /** @constant */
                    step: "target";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    /**
                     * @description `activity`: whether the device has a token for the Live Activity of the send.
                     * @enum {string}
                     */
                    kind: "externalIds" | "userIds" | "subscriptionIds" | "all" | "activity";
                    listed: boolean;
                } | {
                    /** @constant */
                    step: "segment";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    /** @description Whether what the segment asks about may have changed since the device was looked at for this send. */
                    changedSince: boolean;
                    leaves: {
                        path: string;
                        field: string;
                        op: string;
                        /** @description The value as it was written in the segment. */
                        wanted: unknown;
                        /** @description What the device or its user has now; null: nothing. */
                        actual: string | number | boolean | null;
                        matched: boolean;
                    }[];
                } | {
                    /** @constant */
                    step: "experiment";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    inSample: boolean;
                    sampleRate: number;
                    variant: string | null;
                    /** @description The experiment whose winner this send is: it goes to who is outside of that sample. */
                    remainderOf: components["schemas"]["Id"] | null;
                } | {
                    /** @constant */
                    step: "wave";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    zone: string;
                    zoneKnown: boolean;
                    /** Format: date-time */
                    at: string;
                    /** @description Counted from 1; null: the waves are not planned yet. */
                    wave: number | null;
                    of: number | null;
                    /** @description The date and time of the send had passed in the zone when it was sent, so its pushes are skipped. */
                    expired: boolean;
                } | {
                    /** @constant */
                    step: "quiet_hours";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    start: string;
                    end: string;
                    zone: string;
                    until: string | null;
                } | {
                    /** @constant */
                    step: "frequency_cap";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    max: number;
                    windowSeconds: number;
                    counted: {
                        campaignId: components["schemas"]["Id"];
                        /** Format: date-time */
                        at: string;
                    }[];
                } | {
                    /** @constant */
                    step: "page";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    cut: boolean;
                } | {
                    /** @constant */
                    step: "batch";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    /** Format: date-time */
                    queuedAt: string;
                    /** @enum {string} */
                    lane: "prompt" | "bulk";
                    notBefore: string | null;
                    tries: number;
                    leasedUntil: string | null;
                    circuit: {
                        code: string | null;
                        /** Format: date-time */
                        since: string;
                        probeAt: string | null;
                    } | null;
                } | {
                    /** @constant */
                    step: "message";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    /** @description Null: the send is silent. */
                    locale: string | null;
                    /** @description No text is in a language of the user, so the default is shown. */
                    fallback: boolean;
                    /** @description Null: nothing is left of the text. */
                    bytes: number | null;
                    limit: number;
                    truncated: boolean;
                    dropped: string[];
                } | {
                    /** @constant */
                    step: "attempts";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    attempts: {
                        n: number;
                        /** Format: date-time */
                        at: string;
                        code: string | null;
                        providerCode: string | null;
                    }[];
                } | {
                    /** @constant */
                    step: "outcome";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    /** @enum {string} */
                    outcome: "sent" | "failed" | "skipped" | "past_retention";
                    code: string | null;
                    providerCode: string | null;
                    attempts: number | null;
                    settledAt: string | null;
                } | {
                    /** @constant */
                    step: "reports";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    reports: {
                        /** @enum {string} */
                        kind: "delivered" | "opened" | "clicked" | "dismissed";
                        /** Format: date-time */
                        at: string;
                    }[];
                    /** @description The user’s conversions that are attributed to the campaign; left out when there is none. */
                    conversions?: {
                        name: string;
                        /** Format: date-time */
                        at: string;
                        /** @enum {string} */
                        how: "direct" | "influenced";
                    }[];
                } | {
                    /** @constant */
                    step: "category";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    category: string;
                    subscribed: boolean;
                    /**
                     * @description Who is in the category without a choice of their own: everybody or nobody.
                     * @enum {string}
                     */
                    default: "in" | "out";
                } | {
                    /** @constant */
                    step: "holdout";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    heldOut: boolean;
                    percent: number;
                } | {
                    /** @constant */
                    step: "recall";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    /** @description The campaign that this one recalls. */
                    of: components["schemas"]["Id"];
                    /** @enum {string} */
                    mode: "replace" | "dismiss";
                    /** @description That campaign was sent to the device. */
                    sent: boolean;
                    /** @description The device reported it opened. */
                    opened: boolean;
                    skipOpened: boolean;
                })[];
            }[];
            /** @description The follow-ups that ask devices to replace or remove this campaign’s notification; left out when there is none. */
            recalls?: {
                campaignId: components["schemas"]["Id"];
                /** @enum {string} */
                mode: "replace" | "dismiss";
                /** @enum {string} */
                status: "draft" | "scheduled" | "sending" | "active" | "sent" | "cancelled" | "failed" | "paused";
            }[];
        };
        CreateWebhookBody: {
            url: string;
            /**
             * @default [
             *       "*"
             *     ]
             */
            eventTypes: ("*" | "notification.sent" | "notification.delivered" | "notification.opened" | "notification.clicked" | "notification.dismissed" | "notification.converted" | "notification.failed" | "notification.skipped" | "subscription.invalidated" | "campaign.completed")[];
            /** @default null */
            description: string | null;
        };
        MadeWebhook: {
            id: components["schemas"]["Id"];
            appId: components["schemas"]["Id"];
            url: string;
            description: string | null;
            /** @description Of *, notification.sent, notification.delivered, notification.opened, notification.clicked, notification.dismissed, notification.converted, notification.failed, notification.skipped, subscription.invalidated, campaign.completed. */
            eventTypes: string[];
            enabled: boolean;
            disabledReason: ("consecutive_failures" | "manual") | null;
            disabledAt: string | null;
            consecutiveFailures: number;
            /** @description The last 4 characters of the secret. */
            secretHint: string;
            lastDeliveryAt: string | null;
            lastStatus: number | null;
            lastError: string | null;
            waitingEvents: number;
            droppedEvents: number;
            storedBytes: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description The secret that signs deliveries, shown this once. */
            secret: string;
        };
        WebhookList: {
            items: components["schemas"]["Webhook"][];
            /** @description The cursor of the next page; null on the last page. */
            nextCursor: string | null;
        };
        Webhook: {
            id: components["schemas"]["Id"];
            appId: components["schemas"]["Id"];
            url: string;
            description: string | null;
            /** @description Of *, notification.sent, notification.delivered, notification.opened, notification.clicked, notification.dismissed, notification.converted, notification.failed, notification.skipped, subscription.invalidated, campaign.completed. */
            eventTypes: string[];
            enabled: boolean;
            disabledReason: ("consecutive_failures" | "manual") | null;
            disabledAt: string | null;
            consecutiveFailures: number;
            /** @description The last 4 characters of the secret. */
            secretHint: string;
            lastDeliveryAt: string | null;
            lastStatus: number | null;
            lastError: string | null;
            waitingEvents: number;
            droppedEvents: number;
            storedBytes: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        ChangeWebhookBody: {
            url?: string;
            eventTypes?: ("*" | "notification.sent" | "notification.delivered" | "notification.opened" | "notification.clicked" | "notification.dismissed" | "notification.converted" | "notification.failed" | "notification.skipped" | "subscription.invalidated" | "campaign.completed")[];
            description?: string | null;
            enabled?: boolean;
        };
        WebhookSecret: {
            /** @description The secret that signs deliveries, shown this once. */
            secret: string;
        };
        WebhookTested: {
            /** @description Null when there was no answer. */
            status: number | null;
            error: string | null;
        };
        WebhookDeliveryList: {
            items: components["schemas"]["WebhookDelivery"][];
            /** @description The cursor of the next page; null on the last page. */
            nextCursor: string | null;
        };
        WebhookDelivery: {
            /** @description dlv_ and 24 hexadecimal characters. */
            id: string;
            /** @enum {string} */
            state: "pending" | "delivered" | "failed" | "erased";
            eventCount: number;
            attempts: {
                /** Format: date-time */
                at: string;
                status: number | null;
                error: string | null;
                latencyMs: number;
            }[];
            nextAttemptAt: string | null;
            replayable: boolean;
            /** Format: date-time */
            createdAt: string;
            endedAt: string | null;
        };
        ReadWebhookDeliveryAnswer: {
            /** @description dlv_ and 24 hexadecimal characters. */
            id: string;
            /** @enum {string} */
            state: "pending" | "delivered" | "failed" | "erased";
            eventCount: number;
            attempts: {
                /** Format: date-time */
                at: string;
                status: number | null;
                error: string | null;
                latencyMs: number;
            }[];
            nextAttemptAt: string | null;
            replayable: boolean;
            /** Format: date-time */
            createdAt: string;
            endedAt: string | null;
            /** @description The text that is posted, byte for byte: a JSON of id and events. Null when it is no longer kept. */
            body: string | null;
        };
        ListTagsOfAppAnswer: {
            items: {
                name: string;
                /**
                 * @description `mixed`: users have values of several types.
                 * @enum {string}
                 */
                type: "string" | "number" | "boolean" | "mixed";
                /** @description Users who have this tag; estimated where `exact` is false. */
                users: number;
                /** @description The lower end of the 95 % interval of `users`. */
                low: number;
                /** @description The upper end of the 95 % interval of `users`. */
                high: number;
                /** @description The most frequent values as text, the first 100 characters of each. */
                values: string[];
            }[];
            /** @description The cursor of the next page; null on the last page. */
            nextCursor: string | null;
            /** @description True when every user of the app was read. */
            exact: boolean;
            /** @description Users that were read. */
            sample: number;
            /** @description Users of the app; estimated where `exact` is false. */
            users: number;
            /** Format: date-time */
            asOf: string;
        };
        AuditList: {
            items: components["schemas"]["AuditEntry"][];
            /** @description The cursor of the next page; null on the last page. */
            nextCursor: string | null;
        };
        AuditEntry: {
            id: components["schemas"]["Id"];
            actor: string;
            action: string;
            /** @description What was changed: ids, names, kinds, counts and the like; never a secret. */
            subject: {
                [key: string]: unknown;
            };
            requestId: string | null;
            /** Format: date-time */
            createdAt: string;
        };
        SegmentsOfApp: {
            items: components["schemas"]["SavedSegment"][];
            /** @description The cursor of the next page; null on the last page. */
            nextCursor: string | null;
        };
        SavedSegment: {
            id: components["schemas"]["Id"];
            name: string;
            description: string | null;
            definition: {
                [key: string]: unknown;
            };
            lastCount: number | null;
            lastCountedAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        /** @default {} */
        PreviewSegmentOfAppBody: {
            segment?: components["schemas"]["Segment"];
        };
        SegmentCount: {
            count: number;
            byPlatform: {
                ios: number;
                android: number;
                web: number;
            };
        };
        SaveSegment: {
            name: string;
            description?: string | null;
            definition: components["schemas"]["Segment"];
        };
        TemplatesOfApp: {
            items: components["schemas"]["Template"][];
            /** @description The cursor of the next page; null on the last page. */
            nextCursor: string | null;
        };
        Template: {
            id: components["schemas"]["Id"];
            name: string;
            description: string | null;
            content: {
                [key: string]: unknown;
            };
            data: {
                [key: string]: string;
            } | null;
            presentation: components["schemas"]["Presentation"] | null;
            overrides: components["schemas"]["Overrides"] | null;
            ttl: number | null;
            collapseId: string | null;
            priority: ("high" | "normal") | null;
            silent: boolean | null;
            category: string | null;
            sendRate: {
                perMinute: number;
            } | null;
            useCount: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        Presentation: {
            sound?: string;
            badge?: number;
            badgeIncrement?: number;
            threadId?: string;
            icon?: string;
            /** @enum {string} */
            interruptionLevel?: "passive" | "active" | "time-sensitive" | "critical";
            relevanceScore?: number;
            channelId?: string;
        };
        /** @description Fields that are merged last into what each provider gets: the payload of APNs, `message.android` of FCM, the options of a browser’s notification. At most 2,048 bytes of JSON each. */
        Overrides: {
            ios?: {
                [key: string]: unknown;
            };
            android?: {
                [key: string]: unknown;
            };
            web?: {
                [key: string]: unknown;
            };
        };
        ContentMap: {
            _default: string;
            [locale: string]: components["schemas"]["LocaleEntry"] | string;
        };
        LocaleEntry: {
            title: string;
            body: string;
            url?: string;
            image?: string;
            actions?: components["schemas"]["Action"][];
        };
        Action: {
            id: string;
            title: string;
            url?: string;
        };
        ContentByLocale: {
            default: string;
            locales: {
                [key: string]: components["schemas"]["LocaleEntry"];
            };
        };
        SaveTemplate: {
            name: string;
            description?: string | null;
            content: components["schemas"]["Content"];
            silent?: boolean;
            data?: components["schemas"]["CustomData"];
            ttl?: number;
            collapseId?: string;
            /** @enum {string} */
            priority?: "high" | "normal";
            presentation?: components["schemas"]["Presentation"];
            overrides?: components["schemas"]["Overrides"];
            category?: string;
            sendRate?: {
                perMinute: number;
            };
        };
        Content: components["schemas"]["ContentMap"] | components["schemas"]["ContentByLocale"];
        CustomData: {
            [key: string]: string;
        };
        CategoryList: {
            items: components["schemas"]["Category"][];
            /** @description The cursor of the next page; null on the last page. */
            nextCursor: string | null;
        };
        Category: {
            id: string;
            name: string;
            description: string | null;
            /** @enum {string} */
            default: "in" | "out";
            locked: boolean;
            presentation: components["schemas"]["Presentation"] | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        CreateCategory: {
            id: string;
            name: string;
            description?: string | null;
            /** @enum {string} */
            default: "in" | "out";
            locked?: boolean;
            presentation?: components["schemas"]["Presentation"] | null;
        };
        SaveCategory: {
            name: string;
            description?: string | null;
            /** @enum {string} */
            default: "in" | "out";
            locked?: boolean;
            presentation?: components["schemas"]["Presentation"] | null;
        };
        CampaignList: {
            items: components["schemas"]["CampaignWithStats"][];
            /** @description The cursor of the next page; null on the last page. */
            nextCursor: string | null;
        };
        CampaignWithStats: {
            id: components["schemas"]["Id"];
            name: string;
            /** @enum {string} */
            status: "draft" | "scheduled" | "sending" | "active" | "sent" | "cancelled" | "failed" | "paused";
            transactional: boolean;
            content: components["schemas"]["ContentMap"] | null;
            templateId: components["schemas"]["Id"] | null;
            /** @description A Segment; null for everyone, or while it is not yet copied from segmentId. */
            segment: unknown;
            segmentId: components["schemas"]["Id"] | null;
            /** @description Whom it is or was sent to. */
            audience: {
                /** @constant */
                kind: "everyone";
            } | {
                /** @constant */
                kind: "segment";
                segmentId: components["schemas"]["Id"] | null;
                /** @description A Segment; null while it is not yet copied from segmentId. */
                segment: unknown;
            } | {
                /** @constant */
                kind: "people";
                /** @enum {string} */
                by: "externalIds" | "userIds" | "subscriptionIds";
                /** @description How many the send names. */
                count: number;
                /** @description The first 100 of them; null once the send has ended, when Herald forgets whom it named. */
                ids: string[] | null;
            } | {
                /** @constant */
                kind: "test";
                /** @enum {string} */
                by: "externalIds" | "userIds" | "subscriptionIds";
                /** @description How many the send names. */
                count: number;
                /** @description The first 100 of them; null once the send has ended, when Herald forgets whom it named. */
                ids: string[] | null;
            } | {
                /** @constant */
                kind: "remainder";
                /** @description The experiment; this send goes to those outside its sample. */
                of: components["schemas"]["Id"];
                sampleRate: number;
            } | {
                /** @constant */
                kind: "reached";
                /** @description The campaign that this one recalls; this send goes to the devices to which that one was sent. */
                of: components["schemas"]["Id"];
                /** @description Devices that reported it opened are left out. */
                skipOpened: boolean;
            };
            schedule: components["schemas"]["Schedule"] | null;
            experiment: {
                sampleRate: number;
                variants: {
                    id: string;
                    name: string;
                    weight: number;
                    content: components["schemas"]["ContentMap"];
                }[];
                auto?: {
                    /** @enum {string} */
                    metric: "open" | "click" | "conversion";
                    /** @description The name of the conversion, with that metric. */
                    conversion?: string;
                    afterMinutes: number;
                    /** @description 60 if left out, or `afterMinutes` if less. */
                    minMinutes?: number;
                    /** @default 0.05 */
                    alpha: number;
                    /**
                     * @description Of each variant, with a push sent.
                     * @default 500
                     */
                    minUsers: number;
                    /** @enum {string} */
                    ifInconclusive: "none" | "best";
                };
            } | null;
            /** @description Of an experiment, once it is picked. */
            winner: {
                variant: string;
                /** @description The campaign that sends it to the remainder. */
                campaignId: components["schemas"]["Id"];
                /** @description The operator who picked it; null when a secret key of the app or Herald itself did. */
                by: string | null;
                /** Format: date-time */
                at: string;
                /** @enum {string} */
                decidedBy: "significance" | "deadline" | "person";
            } | null;
            silent: boolean;
            data: {
                [key: string]: string;
            };
            ttl: number;
            collapseId: string | null;
            /** @enum {string} */
            priority: "high" | "normal";
            presentation: components["schemas"]["Presentation"] | null;
            overrides: components["schemas"]["Overrides"] | null;
            /** @description The id of its category. */
            category: string | null;
            /** @description Whether people find it in their inbox. */
            inbox: boolean;
            bypass: components["schemas"]["Bypass"];
            /** @description The operator or administration key that made it; null when a secret key or Herald did. */
            author: string | null;
            /** @description Of a send to a Live Activity; left out of any other. */
            activity?: {
                activityId: string;
                /** @enum {string} */
                event: "start" | "update" | "end";
                attributesType: string;
                timestamp: number;
            };
            sendRate: {
                perMinute: number;
            } | null;
            recurringOf: components["schemas"]["Id"] | null;
            remainderOf: components["schemas"]["Id"] | null;
            /** @description The campaign that this one recalls. */
            recallOf: components["schemas"]["Id"] | null;
            /** @description The follow-ups that recall this campaign; left out when there is none, and in lists. */
            recalls?: {
                campaignId: components["schemas"]["Id"];
                /** @enum {string} */
                mode: "replace" | "dismiss";
                /** @enum {string} */
                status: "draft" | "scheduled" | "sending" | "active" | "sent" | "cancelled" | "failed" | "paused";
            }[];
            failure: {
                code: string;
                message: string;
            } | null;
            /** @description True when a cancel was asked for; the campaign is cancelled once its last push has an outcome. */
            cancelling: boolean;
            nextAt: string | null;
            test: boolean;
            missedCount: number;
            /** Format: date-time */
            createdAt: string;
            startedAt: string | null;
            settledAt: string | null;
            /** @description Of a draft that somebody asked to send and somebody else is to confirm. */
            approval: {
                askedBy: string;
                /** Format: date-time */
                at: string;
                /** @description To how many devices it would have gone then. */
                devices: number;
                /** @description Who asks this asked to send it, and so cannot confirm it. */
                byYou: boolean;
            } | null;
            stats: {
                queued: number;
                sent: number;
                failed: number;
                skipped: number;
                delivered: number;
                opened: number;
                clicked: number;
                dismissed: number;
                /** @description Attributed conversions, by name; left out while there is none. */
                conversions?: {
                    [key: string]: {
                        count: number;
                        /** @description The push was opened or clicked before, or the report names it. */
                        direct: number;
                        /** @description The push was sent shortly before. */
                        influenced: number;
                        /** @description Different users. */
                        users: number;
                        /** @description The exact sum by currency, as a decimal number. */
                        value: {
                            [key: string]: string;
                        };
                    };
                };
                /** @description By variant id, for experiments only. */
                variants?: {
                    [key: string]: {
                        sent: number;
                        failed: number;
                        skipped: number;
                        delivered: number;
                        opened: number;
                        clicked: number;
                        dismissed: number;
                        /** @description Attributed conversions, by name; left out while there is none. */
                        conversions?: {
                            [key: string]: {
                                count: number;
                                /** @description The push was opened or clicked before, or the report names it. */
                                direct: number;
                                /** @description The push was sent shortly before. */
                                influenced: number;
                                /** @description Different users. */
                                users: number;
                                /** @description The exact sum by currency, as a decimal number. */
                                value: {
                                    [key: string]: string;
                                };
                            };
                        };
                    };
                };
            };
        };
        Schedule: {
            /** @constant */
            type: "now";
        } | {
            /** @constant */
            type: "at";
            /** Format: date-time */
            at: string;
        } | {
            /** @constant */
            type: "user_timezone";
            localTime: string;
            /** Format: date */
            date?: string;
            lateMinutes?: number;
        } | {
            /** @constant */
            type: "recurring";
            /** @enum {string} */
            every: "day" | "week" | "month";
            interval?: number;
            /** Format: date */
            startDate?: string;
            daysOfWeek?: number[];
            daysOfMonth?: number[];
            nthWeekday?: {
                nth: number;
                day: number;
            };
            localTime: string;
            timezone: string;
            except?: string[];
            maxRuns?: number;
            /** Format: date-time */
            until?: string;
        };
        Bypass: {
            frequencyCap?: boolean;
            quietHours?: boolean;
            /** @description A notification reaches who is held out in any case. */
            holdout?: boolean;
        };
        CampaignWithRates: {
            id: components["schemas"]["Id"];
            name: string;
            /** @enum {string} */
            status: "draft" | "scheduled" | "sending" | "active" | "sent" | "cancelled" | "failed" | "paused";
            transactional: boolean;
            content: components["schemas"]["ContentMap"] | null;
            templateId: components["schemas"]["Id"] | null;
            /** @description A Segment; null for everyone, or while it is not yet copied from segmentId. */
            segment: unknown;
            segmentId: components["schemas"]["Id"] | null;
            /** @description Whom it is or was sent to. */
            audience: {
                /** @constant */
                kind: "everyone";
            } | {
                /** @constant */
                kind: "segment";
                segmentId: components["schemas"]["Id"] | null;
                /** @description A Segment; null while it is not yet copied from segmentId. */
                segment: unknown;
            } | {
                /** @constant */
                kind: "people";
                /** @enum {string} */
                by: "externalIds" | "userIds" | "subscriptionIds";
                /** @description How many the send names. */
                count: number;
                /** @description The first 100 of them; null once the send has ended, when Herald forgets whom it named. */
                ids: string[] | null;
            } | {
                /** @constant */
                kind: "test";
                /** @enum {string} */
                by: "externalIds" | "userIds" | "subscriptionIds";
                /** @description How many the send names. */
                count: number;
                /** @description The first 100 of them; null once the send has ended, when Herald forgets whom it named. */
                ids: string[] | null;
            } | {
                /** @constant */
                kind: "remainder";
                /** @description The experiment; this send goes to those outside its sample. */
                of: components["schemas"]["Id"];
                sampleRate: number;
            } | {
                /** @constant */
                kind: "reached";
                /** @description The campaign that this one recalls; this send goes to the devices to which that one was sent. */
                of: components["schemas"]["Id"];
                /** @description Devices that reported it opened are left out. */
                skipOpened: boolean;
            };
            schedule: components["schemas"]["Schedule"] | null;
            experiment: {
                sampleRate: number;
                variants: {
                    id: string;
                    name: string;
                    weight: number;
                    content: components["schemas"]["ContentMap"];
                }[];
                auto?: {
                    /** @enum {string} */
                    metric: "open" | "click" | "conversion";
                    /** @description The name of the conversion, with that metric. */
                    conversion?: string;
                    afterMinutes: number;
                    /** @description 60 if left out, or `afterMinutes` if less. */
                    minMinutes?: number;
                    /** @default 0.05 */
                    alpha: number;
                    /**
                     * @description Of each variant, with a push sent.
                     * @default 500
                     */
                    minUsers: number;
                    /** @enum {string} */
                    ifInconclusive: "none" | "best";
                };
            } | null;
            /** @description Of an experiment, once it is picked. */
            winner: {
                variant: string;
                /** @description The campaign that sends it to the remainder. */
                campaignId: components["schemas"]["Id"];
                /** @description The operator who picked it; null when a secret key of the app or Herald itself did. */
                by: string | null;
                /** Format: date-time */
                at: string;
                /** @enum {string} */
                decidedBy: "significance" | "deadline" | "person";
            } | null;
            silent: boolean;
            data: {
                [key: string]: string;
            };
            ttl: number;
            collapseId: string | null;
            /** @enum {string} */
            priority: "high" | "normal";
            presentation: components["schemas"]["Presentation"] | null;
            overrides: components["schemas"]["Overrides"] | null;
            /** @description The id of its category. */
            category: string | null;
            /** @description Whether people find it in their inbox. */
            inbox: boolean;
            bypass: components["schemas"]["Bypass"];
            /** @description The operator or administration key that made it; null when a secret key or Herald did. */
            author: string | null;
            /** @description Of a send to a Live Activity; left out of any other. */
            activity?: {
                activityId: string;
                /** @enum {string} */
                event: "start" | "update" | "end";
                attributesType: string;
                timestamp: number;
            };
            sendRate: {
                perMinute: number;
            } | null;
            recurringOf: components["schemas"]["Id"] | null;
            remainderOf: components["schemas"]["Id"] | null;
            /** @description The campaign that this one recalls. */
            recallOf: components["schemas"]["Id"] | null;
            /** @description The follow-ups that recall this campaign; left out when there is none, and in lists. */
            recalls?: {
                campaignId: components["schemas"]["Id"];
                /** @enum {string} */
                mode: "replace" | "dismiss";
                /** @enum {string} */
                status: "draft" | "scheduled" | "sending" | "active" | "sent" | "cancelled" | "failed" | "paused";
            }[];
            failure: {
                code: string;
                message: string;
            } | null;
            /** @description True when a cancel was asked for; the campaign is cancelled once its last push has an outcome. */
            cancelling: boolean;
            nextAt: string | null;
            test: boolean;
            missedCount: number;
            /** Format: date-time */
            createdAt: string;
            startedAt: string | null;
            settledAt: string | null;
            /** @description Of a draft that somebody asked to send and somebody else is to confirm. */
            approval: {
                askedBy: string;
                /** Format: date-time */
                at: string;
                /** @description To how many devices it would have gone then. */
                devices: number;
                /** @description Who asks this asked to send it, and so cannot confirm it. */
                byYou: boolean;
            } | null;
            stats: {
                queued: number;
                sent: number;
                failed: number;
                skipped: number;
                delivered: number;
                opened: number;
                clicked: number;
                dismissed: number;
                /** @description Attributed conversions, by name; left out while there is none. */
                conversions?: {
                    [key: string]: {
                        count: number;
                        /** @description The push was opened or clicked before, or the report names it. */
                        direct: number;
                        /** @description The push was sent shortly before. */
                        influenced: number;
                        /** @description Different users. */
                        users: number;
                        /** @description The exact sum by currency, as a decimal number. */
                        value: {
                            [key: string]: string;
                        };
                    };
                };
                /** @description By variant id, for experiments only. */
                variants?: {
                    [key: string]: {
                        sent: number;
                        failed: number;
                        skipped: number;
                        delivered: number;
                        opened: number;
                        clicked: number;
                        dismissed: number;
                        /** @description Attributed conversions, by name; left out while there is none. */
                        conversions?: {
                            [key: string]: {
                                count: number;
                                /** @description The push was opened or clicked before, or the report names it. */
                                direct: number;
                                /** @description The push was sent shortly before. */
                                influenced: number;
                                /** @description Different users. */
                                users: number;
                                /** @description The exact sum by currency, as a decimal number. */
                                value: {
                                    [key: string]: string;
                                };
                            };
                        };
                    };
                };
            };
            /** @description delivered divided by sent; opened and clicked divided by delivered. Four decimals; null when the divisor is 0. */
            rates: {
                delivery: number | null;
                open: number | null;
                click: number | null;
            };
        };
        Experiment: {
            sampleRate: number;
            variants: {
                id: string;
                name: string;
                /** @default 1 */
                weight: number;
                content: components["schemas"]["Content"];
            }[];
            auto?: {
                /** @enum {string} */
                metric: "open" | "click" | "conversion";
                /** @description The name of the conversion, with that metric. */
                conversion?: string;
                afterMinutes: number;
                /** @description 60 if left out, or `afterMinutes` if less. */
                minMinutes?: number;
                /** @default 0.05 */
                alpha: number;
                /**
                 * @description Of each variant, with a push sent.
                 * @default 500
                 */
                minUsers: number;
                /** @enum {string} */
                ifInconclusive: "none" | "best";
            };
        };
        ReplaceCampaignOfAppBody: {
            name: string;
            segment?: components["schemas"]["Segment"];
            segmentId?: string;
            schedule?: components["schemas"]["Schedule"];
            experiment?: components["schemas"]["Experiment"];
            content?: components["schemas"]["Content"];
            templateId?: string;
            silent?: boolean;
            data?: components["schemas"]["CustomData"];
            ttl?: number;
            collapseId?: string;
            /** @enum {string} */
            priority?: "high" | "normal";
            presentation?: components["schemas"]["Presentation"];
            overrides?: components["schemas"]["Overrides"];
            category?: string;
            sendRate?: {
                perMinute: number;
            };
            inbox?: boolean;
            bypass?: components["schemas"]["Bypass"];
        };
        Campaign: {
            id: components["schemas"]["Id"];
            name: string;
            /** @enum {string} */
            status: "draft" | "scheduled" | "sending" | "active" | "sent" | "cancelled" | "failed" | "paused";
            transactional: boolean;
            content: components["schemas"]["ContentMap"] | null;
            templateId: components["schemas"]["Id"] | null;
            /** @description A Segment; null for everyone, or while it is not yet copied from segmentId. */
            segment: unknown;
            segmentId: components["schemas"]["Id"] | null;
            /** @description Whom it is or was sent to. */
            audience: {
                /** @constant */
                kind: "everyone";
            } | {
                /** @constant */
                kind: "segment";
                segmentId: components["schemas"]["Id"] | null;
                /** @description A Segment; null while it is not yet copied from segmentId. */
                segment: unknown;
            } | {
                /** @constant */
                kind: "people";
                /** @enum {string} */
                by: "externalIds" | "userIds" | "subscriptionIds";
                /** @description How many the send names. */
                count: number;
                /** @description The first 100 of them; null once the send has ended, when Herald forgets whom it named. */
                ids: string[] | null;
            } | {
                /** @constant */
                kind: "test";
                /** @enum {string} */
                by: "externalIds" | "userIds" | "subscriptionIds";
                /** @description How many the send names. */
                count: number;
                /** @description The first 100 of them; null once the send has ended, when Herald forgets whom it named. */
                ids: string[] | null;
            } | {
                /** @constant */
                kind: "remainder";
                /** @description The experiment; this send goes to those outside its sample. */
                of: components["schemas"]["Id"];
                sampleRate: number;
            } | {
                /** @constant */
                kind: "reached";
                /** @description The campaign that this one recalls; this send goes to the devices to which that one was sent. */
                of: components["schemas"]["Id"];
                /** @description Devices that reported it opened are left out. */
                skipOpened: boolean;
            };
            schedule: components["schemas"]["Schedule"] | null;
            experiment: {
                sampleRate: number;
                variants: {
                    id: string;
                    name: string;
                    weight: number;
                    content: components["schemas"]["ContentMap"];
                }[];
                auto?: {
                    /** @enum {string} */
                    metric: "open" | "click" | "conversion";
                    /** @description The name of the conversion, with that metric. */
                    conversion?: string;
                    afterMinutes: number;
                    /** @description 60 if left out, or `afterMinutes` if less. */
                    minMinutes?: number;
                    /** @default 0.05 */
                    alpha: number;
                    /**
                     * @description Of each variant, with a push sent.
                     * @default 500
                     */
                    minUsers: number;
                    /** @enum {string} */
                    ifInconclusive: "none" | "best";
                };
            } | null;
            /** @description Of an experiment, once it is picked. */
            winner: {
                variant: string;
                /** @description The campaign that sends it to the remainder. */
                campaignId: components["schemas"]["Id"];
                /** @description The operator who picked it; null when a secret key of the app or Herald itself did. */
                by: string | null;
                /** Format: date-time */
                at: string;
                /** @enum {string} */
                decidedBy: "significance" | "deadline" | "person";
            } | null;
            silent: boolean;
            data: {
                [key: string]: string;
            };
            ttl: number;
            collapseId: string | null;
            /** @enum {string} */
            priority: "high" | "normal";
            presentation: components["schemas"]["Presentation"] | null;
            overrides: components["schemas"]["Overrides"] | null;
            /** @description The id of its category. */
            category: string | null;
            /** @description Whether people find it in their inbox. */
            inbox: boolean;
            bypass: components["schemas"]["Bypass"];
            /** @description The operator or administration key that made it; null when a secret key or Herald did. */
            author: string | null;
            /** @description Of a send to a Live Activity; left out of any other. */
            activity?: {
                activityId: string;
                /** @enum {string} */
                event: "start" | "update" | "end";
                attributesType: string;
                timestamp: number;
            };
            sendRate: {
                perMinute: number;
            } | null;
            recurringOf: components["schemas"]["Id"] | null;
            remainderOf: components["schemas"]["Id"] | null;
            /** @description The campaign that this one recalls. */
            recallOf: components["schemas"]["Id"] | null;
            /** @description The follow-ups that recall this campaign; left out when there is none, and in lists. */
            recalls?: {
                campaignId: components["schemas"]["Id"];
                /** @enum {string} */
                mode: "replace" | "dismiss";
                /** @enum {string} */
                status: "draft" | "scheduled" | "sending" | "active" | "sent" | "cancelled" | "failed" | "paused";
            }[];
            failure: {
                code: string;
                message: string;
            } | null;
            /** @description True when a cancel was asked for; the campaign is cancelled once its last push has an outcome. */
            cancelling: boolean;
            nextAt: string | null;
            test: boolean;
            missedCount: number;
            /** Format: date-time */
            createdAt: string;
            startedAt: string | null;
            settledAt: string | null;
        };
        SendCampaignOfAppBody: {
            delaySeconds?: number;
        };
        SentOrDelayed: {
            /**
             * @description `draft`: the app’s setting `approval` needs a second person, who sends the campaign with the same request.
             * @enum {string}
             */
            status: "sending" | "scheduled" | "active" | "draft";
            /** @description When it goes out; null when that is now. */
            nextAt: string | null;
            /** @description With the status `draft`. */
            approval?: {
                askedBy: string;
                /** Format: date-time */
                at: string;
                /** @description To how many devices it would have gone then. */
                devices: number;
                /** @description Who asks this asked to send it, and so cannot confirm it. */
                byYou: boolean;
            };
        };
        PickWinnerOfAppBody: {
            variant: string;
            delaySeconds?: number;
        };
        WinnerPicked: {
            id: components["schemas"]["Id"];
            /** @enum {string} */
            status: "sending" | "scheduled";
            /** @description When it goes out; null when that is now. */
            nextAt: string | null;
        };
        Unsent: {
            /** @description The draft; of a winner the experiment, which is open again. */
            id: components["schemas"]["Id"];
            /** @enum {string} */
            status: "draft" | "sent";
        };
        Cancelled: {
            /** @constant */
            status: "cancelled";
        };
        Cancelling: {
            /** @enum {string} */
            status: "sending" | "paused";
            /** @constant */
            cancelling: true;
        };
        Paused: {
            /** @constant */
            status: "paused";
        };
        Resumed: {
            /** @enum {string} */
            status: "sending" | "active";
        };
        ChangeRateOfCampaignBody: {
            perMinute: number | null;
        };
        RateChanged: {
            perMinute: number | null;
            /** @description About how long the rest of a send under way takes; null when it is not known. */
            etaSeconds: number | null;
        };
        Verification: {
            campaignId: components["schemas"]["Id"];
            agrees: boolean;
            difference: number;
            counters: {
                queued: number;
                sent: number;
                failed: number;
                skipped: number;
                delivered: number;
                opened: number;
                clicked: number;
                dismissed: number;
                /** @description Attributed conversions, by name; left out while there is none. */
                conversions?: {
                    [key: string]: {
                        count: number;
                        /** @description The push was opened or clicked before, or the report names it. */
                        direct: number;
                        /** @description The push was sent shortly before. */
                        influenced: number;
                        /** @description Different users. */
                        users: number;
                        /** @description The exact sum by currency, as a decimal number. */
                        value: {
                            [key: string]: string;
                        };
                    };
                };
                /** @description By variant id, for experiments only. */
                variants?: {
                    [key: string]: {
                        sent: number;
                        failed: number;
                        skipped: number;
                        delivered: number;
                        opened: number;
                        clicked: number;
                        dismissed: number;
                        /** @description Attributed conversions, by name; left out while there is none. */
                        conversions?: {
                            [key: string]: {
                                count: number;
                                /** @description The push was opened or clicked before, or the report names it. */
                                direct: number;
                                /** @description The push was sent shortly before. */
                                influenced: number;
                                /** @description Different users. */
                                users: number;
                                /** @description The exact sum by currency, as a decimal number. */
                                value: {
                                    [key: string]: string;
                                };
                            };
                        };
                    };
                };
            };
            ledger: {
                queued: number;
                sent: number;
                failed: number;
                skipped: number;
                delivered: number;
                opened: number;
                clicked: number;
                dismissed: number;
                /** @description Attributed conversions, by name; left out while there is none. */
                conversions?: {
                    [key: string]: {
                        count: number;
                        /** @description The push was opened or clicked before, or the report names it. */
                        direct: number;
                        /** @description The push was sent shortly before. */
                        influenced: number;
                        /** @description Different users. */
                        users: number;
                        /** @description The exact sum by currency, as a decimal number. */
                        value: {
                            [key: string]: string;
                        };
                    };
                };
                /** @description By variant id, for experiments only. */
                variants?: {
                    [key: string]: {
                        sent: number;
                        failed: number;
                        skipped: number;
                        delivered: number;
                        opened: number;
                        clicked: number;
                        dismissed: number;
                        /** @description Attributed conversions, by name; left out while there is none. */
                        conversions?: {
                            [key: string]: {
                                count: number;
                                /** @description The push was opened or clicked before, or the report names it. */
                                direct: number;
                                /** @description The push was sent shortly before. */
                                influenced: number;
                                /** @description Different users. */
                                users: number;
                                /** @description The exact sum by currency, as a decimal number. */
                                value: {
                                    [key: string]: string;
                                };
                            };
                        };
                    };
                };
            };
        };
        ListWavesOfCampaignAnswer: {
            items: {
                /** @description Counted from 1. */
                no: number;
                /**
                 * Format: date-time
                 * @description When it begins.
                 */
                at: string;
                /** @description The time zones whose users it reaches; null among them stands for users without one. Null instead of a list: all users. The last wave reaches everybody else too. */
                zones: (string | null)[] | null;
                /**
                 * @description `cancelled`: the send failed or was cancelled before the wave was over.
                 * @enum {string}
                 */
                state: "waiting" | "running" | "done" | "cancelled";
                /** @description Its pushes are skipped: the date and time of the send had passed in its zones. */
                expired: boolean;
                /** @description Pushes that it has queued so far. */
                queued: number;
                byPlatform: {
                    ios: number;
                    android: number;
                    web: number;
                };
            }[];
            /** @description The cursor of the next page; null on the last page. */
            nextCursor: string | null;
        };
        ListRunsOfCampaignAnswer: {
            items: {
                id: components["schemas"]["Id"];
                /**
                 * Format: date
                 * @description The day it is for, in the zone of the schedule.
                 */
                localDate: string;
                /** @enum {string} */
                status: "draft" | "scheduled" | "sending" | "active" | "sent" | "cancelled" | "failed" | "paused";
                cancelling: boolean;
                failure: {
                    code: string;
                    message: string;
                } | null;
                /** Format: date-time */
                createdAt: string;
                startedAt: string | null;
                settledAt: string | null;
                stats: {
                    queued: number;
                    sent: number;
                    failed: number;
                    skipped: number;
                    delivered: number;
                    opened: number;
                    clicked: number;
                    dismissed: number;
                    /** @description Attributed conversions, by name; left out while there is none. */
                    conversions?: {
                        [key: string]: {
                            count: number;
                            /** @description The push was opened or clicked before, or the report names it. */
                            direct: number;
                            /** @description The push was sent shortly before. */
                            influenced: number;
                            /** @description Different users. */
                            users: number;
                            /** @description The exact sum by currency, as a decimal number. */
                            value: {
                                [key: string]: string;
                            };
                        };
                    };
                    /** @description By variant id, for experiments only. */
                    variants?: {
                        [key: string]: {
                            sent: number;
                            failed: number;
                            skipped: number;
                            delivered: number;
                            opened: number;
                            clicked: number;
                            dismissed: number;
                            /** @description Attributed conversions, by name; left out while there is none. */
                            conversions?: {
                                [key: string]: {
                                    count: number;
                                    /** @description The push was opened or clicked before, or the report names it. */
                                    direct: number;
                                    /** @description The push was sent shortly before. */
                                    influenced: number;
                                    /** @description Different users. */
                                    users: number;
                                    /** @description The exact sum by currency, as a decimal number. */
                                    value: {
                                        [key: string]: string;
                                    };
                                };
                            };
                        };
                    };
                };
            }[];
            /** @description The cursor of the next page; null on the last page. */
            nextCursor: string | null;
        };
        OccurrenceList: {
            items: {
                /** Format: date-time */
                at: string;
                /**
                 * Format: date
                 * @description The day it is for, in the zone of the schedule.
                 */
                localDate: string;
            }[];
            nextCursor: null;
        };
        CreateCampaignOfAppBody: {
            name: string;
            segment?: components["schemas"]["Segment"];
            segmentId?: string;
            schedule?: components["schemas"]["Schedule"];
            experiment?: components["schemas"]["Experiment"];
            content?: components["schemas"]["Content"];
            templateId?: string;
            silent?: boolean;
            data?: components["schemas"]["CustomData"];
            ttl?: number;
            collapseId?: string;
            /** @enum {string} */
            priority?: "high" | "normal";
            presentation?: components["schemas"]["Presentation"];
            overrides?: components["schemas"]["Overrides"];
            category?: string;
            sendRate?: {
                perMinute: number;
            };
            inbox?: boolean;
            bypass?: components["schemas"]["Bypass"];
        };
        Drafted: {
            id: components["schemas"]["Id"];
            /** @constant */
            status: "draft";
        };
        RecallCampaignOfAppBody: {
            /**
             * @description `stop`: only cancel what is unsent. `replace`: also ask devices to show `content` in place of the notification. `dismiss`: also ask devices to remove it.
             * @enum {string}
             */
            mode: "stop" | "replace" | "dismiss";
            content?: components["schemas"]["Content"];
            /** @description With `replace`, instead of `content`: the template gives its content. */
            templateId?: string;
            /** @description True if left out: devices that reported the notification opened are not asked. */
            skipOpened?: boolean;
        };
        Recalled: {
            /** @description The follow-up, which has its own counters; with mode `stop` the campaign itself. */
            id: components["schemas"]["Id"];
            /**
             * @description `scheduled`: the follow-up begins once every push of the campaign has an outcome. With mode `stop` the status of the campaign, which is `cancelled` once its last push has an outcome.
             * @enum {string}
             */
            status: "scheduled" | "cancelled" | "sending" | "paused";
        };
        ReadExperimentAnswer: {
            /** @enum {string} */
            metric: "open" | "click" | "conversion";
            /** Format: date-time */
            asOf: string;
            /** @description Nothing more is expected to come: read the intervals now. */
            final: boolean;
            /** @description Whether the users are split as the weights say (χ²). */
            sampleRatio: {
                /** @description How likely such a difference is by chance; null until all pushes are queued. */
                p: number | null;
                /** @description False: something is wrong, and no winner is picked automatically. */
                ok: boolean | null;
            };
            /** @description Whether the users are split as the weights say (χ²). */
            sentRatio: {
                /** @description How likely such a difference is by chance; null until all pushes are queued. */
                p: number | null;
                /** @description False: something is wrong, and no winner is picked automatically. */
                ok: boolean | null;
            };
            variants: {
                id: string;
                assigned: number;
                sent: number;
                events: number;
                rate: number;
                low: number;
                high: number;
            }[];
            comparisons: {
                a: string;
                b: string;
                difference: number;
                low: number;
                high: number;
                upliftPercent: number | null;
            }[];
            /** @description Anytime-valid: look as often as you like, and stop when it is at most 0.05. */
            p: number;
            /** @description The best variant is better, and not by chance. */
            decided: boolean;
            /** @description Null until a winner is picked. */
            decidedBy: ("significance" | "deadline" | "person") | null;
            /** @description To find an uplift of 10 % at the app’s usual rate. */
            needed: {
                usersPerVariant: number | null;
            };
        };
        ReadCampaignUpliftAnswer: {
            treated: {
                users: number;
                converted: number;
                rate: number;
            };
            control: {
                users: number;
                converted: number;
                rate: number;
            };
            difference: number;
            low: number;
            high: number;
            upliftPercent: number | null;
            /** @description The time that is looked at is over. */
            final: boolean;
        };
        ReadHoldoutUpliftAnswer: {
            treated: {
                users: number;
                converted: number;
                rate: number;
            };
            control: {
                users: number;
                converted: number;
                rate: number;
            };
            difference: number;
            low: number;
            high: number;
            upliftPercent: number | null;
            /** @description The time that is looked at is over. */
            final: boolean;
        };
        RedrawHoldoutAnswer: {
            /** Format: date-time */
            since: string;
        };
        ListDraftsAnswer: {
            items: {
                id: components["schemas"]["Id"];
                /** @description The field `name` of the draft. */
                name: string | null;
                /** @description Counts the saves of the draft. */
                revision: number;
                /** @description Who saved it last. */
                savedBy: string;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                updatedAt: string;
            }[];
            /** @description The cursor of the next page; null on the last page. */
            nextCursor: string | null;
        };
        ReadDraftAnswer: {
            id: components["schemas"]["Id"];
            /** @description The field `name` of the draft. */
            name: string | null;
            /** @description Counts the saves of the draft. */
            revision: number;
            /** @description Who saved it last. */
            savedBy: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description The JSON that was saved. */
            draft: unknown;
        };
        SaveDraftBody: {
            /** @description Any JSON, of at most 64 KiB. */
            draft: unknown;
            /**
             * @description Of the draft that this one replaces; 0 for a new draft.
             * @default 0
             */
            revision: number;
        };
        SaveDraftAnswer: {
            id: components["schemas"]["Id"];
            /** @description The field `name` of the draft. */
            name: string | null;
            /** @description Counts the saves of the draft. */
            revision: number;
            /** @description Who saved it last. */
            savedBy: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        AddPictureAnswer: {
            id: components["schemas"]["Id"];
            /** @description Where devices load it: below HERALD_BASE_URL. Nobody can guess it, and no key is needed for it. */
            url: string;
            /** @enum {string} */
            mediaType: "image/jpeg" | "image/png" | "image/gif";
            width: number;
            height: number;
            /** @description In bytes. */
            size: number;
            addedBy: string;
            /** Format: date-time */
            createdAt: string;
        };
        ListPicturesAnswer: {
            items: {
                id: components["schemas"]["Id"];
                /** @description Where devices load it: below HERALD_BASE_URL. Nobody can guess it, and no key is needed for it. */
                url: string;
                /** @enum {string} */
                mediaType: "image/jpeg" | "image/png" | "image/gif";
                width: number;
                height: number;
                /** @description In bytes. */
                size: number;
                addedBy: string;
                /** Format: date-time */
                createdAt: string;
            }[];
            /** @description The cursor of the next page; null on the last page. */
            nextCursor: string | null;
        };
        Target: {
            externalIds?: string[];
            userIds?: string[];
            subscriptionIds?: string[];
            segment?: components["schemas"]["Segment"];
            segmentId?: string;
            /** @constant */
            all?: true;
        };
        DryRunNotificationOfAppBody: {
            notification?: {
                target: components["schemas"]["Target"];
                content?: components["schemas"]["Content"];
                templateId?: string;
                silent?: boolean;
                data?: components["schemas"]["CustomData"];
                ttl?: number;
                collapseId?: string;
                /** @enum {string} */
                priority?: "high" | "normal";
                presentation?: components["schemas"]["Presentation"];
                overrides?: components["schemas"]["Overrides"];
                category?: string;
                sendRate?: {
                    perMinute: number;
                };
                inbox?: boolean;
                bypass?: components["schemas"]["Bypass"];
            };
            campaign?: {
                name: string;
                segment?: components["schemas"]["Segment"];
                segmentId?: string;
                schedule?: components["schemas"]["Schedule"];
                experiment?: components["schemas"]["Experiment"];
                content?: components["schemas"]["Content"];
                templateId?: string;
                silent?: boolean;
                data?: components["schemas"]["CustomData"];
                ttl?: number;
                collapseId?: string;
                /** @enum {string} */
                priority?: "high" | "normal";
                presentation?: components["schemas"]["Presentation"];
                overrides?: components["schemas"]["Overrides"];
                category?: string;
                sendRate?: {
                    perMinute: number;
                };
                inbox?: boolean;
                bypass?: components["schemas"]["Bypass"];
            };
            campaignId?: string;
            samples?: {
                subscriptionIds?: string[];
                random?: number;
                seed?: number | string;
            };
        };
        DryRunNotificationOfAppAnswer: {
            audience: {
                devices: number;
                users: number;
                byPlatform: {
                    ios: number;
                    android: number;
                    web: number;
                };
                /** @description False when the number was estimated from a sample (`interval` is its 95 % interval), or has devices that will be left out because they had their push already. */
                exact: boolean;
                sampleSize?: number;
                interval?: number[];
            };
            unreachable: {
                optedOut: number;
                invalidated: number;
            };
            skips: {
                reason: string;
                devices: number;
                /** @description False when the number was estimated from a sample (`interval` is its 95 % interval), or has devices that will be left out because they had their push already. */
                exact: boolean;
                sampleSize?: number;
                interval?: number[];
            }[];
            waves: {
                /** Format: date-time */
                at: string;
                devices: number;
            }[];
            experiment: {
                inSample: number;
                remainder: number;
                byVariant: {
                    [key: string]: number;
                };
            } | null;
            locales: {
                locale: string;
                devices: number;
                fallback: number;
            }[];
            bytes: {
                /** @enum {string} */
                platform: "ios" | "android" | "web";
                locale: string | null;
                variant: string | null;
                max: number;
                limit: number;
                truncated: boolean;
            }[];
            samples: {
                subscriptionId: components["schemas"]["Id"];
                userId: components["schemas"]["Id"];
                /** @enum {string} */
                platform: "ios" | "android" | "web";
                variant: string | null;
                locale: string | null;
                entry: {
                    title: string;
                    body: string;
                    url?: string;
                    image?: string;
                    actions?: {
                        id: string;
                        title: string;
                        url?: string;
                    }[];
                } | null;
                /** @description What the provider would be sent, without the token. */
                payload: {
                    [key: string]: unknown;
                } | null;
                bytes: number | null;
                limit: number;
                /** @description Why this device would be skipped; null when it would get the push. */
                skip: string | null;
                warnings: string[];
            }[];
            warnings: {
                code: string;
                path: string;
                message: string;
                devices: number | null;
            }[];
            estimate: {
                seconds: number | null;
                perSecond: number | null;
                basis: string;
            };
        };
        SendTestBody: {
            subscriptionId?: string;
            subscriptionIds?: string[];
            userIds?: string[];
            externalIds?: string[];
            campaignId?: string;
            variant?: string;
            mark?: boolean;
            content?: components["schemas"]["Content"];
            templateId?: string;
            silent?: boolean;
            data?: components["schemas"]["CustomData"];
            ttl?: number;
            collapseId?: string;
            /** @enum {string} */
            priority?: "high" | "normal";
            presentation?: components["schemas"]["Presentation"];
            overrides?: components["schemas"]["Overrides"];
            category?: string;
            sendRate?: {
                perMinute: number;
            };
            inbox?: boolean;
            bypass?: components["schemas"]["Bypass"];
        };
        SendTestAnswer: {
            id: components["schemas"]["Id"];
            /** @enum {string} */
            status: "draft" | "scheduled" | "sending" | "active" | "sent" | "cancelled" | "failed" | "paused";
            results: {
                subscriptionId: string;
                /** @enum {string} */
                platform: "ios" | "android" | "web";
                /** @enum {string} */
                outcome: "sent" | "failed" | "skipped" | "not_queued";
                code: string | null;
                providerCode: string | null;
                attempts: number;
            }[];
        };
        ListTestDevicesAnswer: {
            items: {
                id: string;
                userId: string;
                externalId: string | null;
                /** @enum {string} */
                platform: "ios" | "android" | "web";
                token?: string;
                endpoint?: string;
                optedIn: boolean;
                invalidatedAt: string | null;
                appVersion: string | null;
                osVersion: string | null;
                deviceModel: string | null;
                browser: string | null;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                lastActiveAt: string;
                /** Format: date-time */
                markedAt: string;
            }[];
            nextCursor: string | null;
        };
        ReadOverviewAnswer: {
            /** Format: date-time */
            asOf: string;
            /**
             * Format: date-time
             * @description When the devices were counted: up to 60 s before asOf; with more than 5,000,000 devices at the last daily count.
             */
            devicesAsOf: string;
            devices: {
                ios: {
                    total: number;
                    reachable: number;
                    optedOut: number;
                    /** @description Invalidated devices, opted out or not. reachable, optedOut and invalidated add up to total. */
                    invalidated: number;
                    active1d: number;
                    active7d: number;
                    active30d: number;
                };
                android: {
                    total: number;
                    reachable: number;
                    optedOut: number;
                    /** @description Invalidated devices, opted out or not. reachable, optedOut and invalidated add up to total. */
                    invalidated: number;
                    active1d: number;
                    active7d: number;
                    active30d: number;
                };
                web: {
                    total: number;
                    reachable: number;
                    optedOut: number;
                    /** @description Invalidated devices, opted out or not. reachable, optedOut and invalidated add up to total. */
                    invalidated: number;
                    active1d: number;
                    active7d: number;
                    active30d: number;
                };
            };
            /** @description The present hour and the 23 before it. */
            last24h: {
                queued: number;
                sent: number;
                failed: number;
                skipped: number;
                delivered: number;
                opened: number;
                clicked: number;
                dismissed: number;
                converted: number;
            };
            previous24h: {
                queued: number;
                sent: number;
                failed: number;
                skipped: number;
                delivered: number;
                opened: number;
                clicked: number;
                dismissed: number;
                converted: number;
            };
            /** @description The last 30 UTC days, today the last of them. */
            days: {
                /** Format: date-time */
                at: string;
                queued: number;
                sent: number;
                failed: number;
                skipped: number;
                delivered: number;
                opened: number;
                clicked: number;
                dismissed: number;
                converted: number;
            }[];
            /** @description Campaigns by status (draft, scheduled, sending, active, sent, cancelled, failed, paused), without notifications. */
            campaigns: {
                [key: string]: number;
            };
            /** @description The next ten that begin by themselves. */
            nextSends: {
                campaignId: components["schemas"]["Id"];
                name: string;
                /** Format: date-time */
                at: string;
                schedule: string;
            }[];
            circuits: {
                /** @enum {string} */
                platform: "ios" | "android" | "web";
                /** @enum {string} */
                environment: "" | "production" | "sandbox";
                /** @enum {string} */
                state: "closed" | "open";
                code: ("token_dead" | "token_invalid" | "sender_mismatch" | "payload_too_large" | "payload_invalid" | "credentials_invalid" | "not_configured" | "rate_limited" | "provider_unavailable" | "network_error" | "timeout" | "encryption_failed" | "internal") | null;
                /** Format: date-time */
                since: string;
                probeAt: string | null;
                heldCount: number;
            }[];
            providers: {
                /** @enum {string} */
                kind: "apns" | "fcm" | "webpush";
                /** @enum {string} */
                platform: "ios" | "android" | "web";
                configured: boolean;
            }[];
            /** @description What the operator should look at, and the operation that says more. */
            attention: {
                /** @enum {string} */
                code: "circuit_open" | "quota_slowed" | "provider_missing" | "many_failures" | "campaign_failed" | "campaign_paused" | "webhook_disabled" | "webhook_failing";
                params: {
                    [key: string]: string | number | null;
                };
                href: string;
            }[];
        };
        ReadSeriesAnswer: {
            points: {
                /** Format: date-time */
                at: string;
                /** @enum {string} */
                platform?: "ios" | "android" | "web";
                queued: number;
                sent: number;
                failed: number;
                skipped: number;
                delivered: number;
                opened: number;
                clicked: number;
                dismissed: number;
                converted: number;
            }[];
            /** @description With by=code: pushes that failed or were skipped, by bucket, platform and code. */
            codes?: {
                /** Format: date-time */
                at: string;
                /** @enum {string} */
                platform: "ios" | "android" | "web";
                /** @enum {string} */
                outcome: "sent" | "failed" | "skipped";
                code: string;
                count: number;
            }[];
        };
        ReadDeviceSeriesAnswer: {
            points: {
                /** Format: date-time */
                at: string;
                /** @enum {string} */
                platform: "ios" | "android" | "web";
                /** Format: date-time */
                takenAt: string;
                /** @description Devices registered on that day that still exist. */
                new: number;
                total: number;
                reachable: number;
                optedOut: number;
                /** @description Invalidated devices, opted out or not. reachable, optedOut and invalidated add up to total. */
                invalidated: number;
                active1d: number;
                active7d: number;
                active30d: number;
            }[];
        };
        ReadCurveAnswer: {
            /** @description When its first push was queued; null when none was. */
            startedAt: string | null;
            /** @description False for a notification of at most 1,000 pushes: it has no curve. */
            kept: boolean;
            /** @description A step is a minute in the first hour, 10 minutes in the first day, and an hour after that. */
            points: {
                afterSeconds: number;
                delivered: number;
                opened: number;
                clicked: number;
                dismissed: number;
                converted: number;
            }[];
        };
        ReadBreakdownAnswer: {
            byPlatform: {
                ios: {
                    queued: number;
                    open: number;
                    sent: number | null;
                    failed: number | null;
                    skipped: number | null;
                };
                android: {
                    queued: number;
                    open: number;
                    sent: number | null;
                    failed: number | null;
                    skipped: number | null;
                };
                web: {
                    queued: number;
                    open: number;
                    sent: number | null;
                    failed: number | null;
                    skipped: number | null;
                };
            };
            /** @description Null where they are unknown: for a campaign that began before codes were counted, or a small one past the retention of the ledger. */
            codes: {
                /** @enum {string} */
                platform: "ios" | "android" | "web";
                /** @enum {string} */
                outcome: "sent" | "failed" | "skipped";
                code: string;
                count: number;
            }[] | null;
            variants: {
                [key: string]: {
                    sent: number;
                    failed: number;
                    skipped: number;
                    delivered: number;
                    opened: number;
                    clicked: number;
                    dismissed: number;
                };
            };
            /** @description Clicks on buttons, the most clicked first, at most 50. A click on the notification itself is in none. */
            actions: {
                action: string;
                clicked: number;
            }[];
        };
        ListUsersOfAppAnswer: {
            items: {
                id: components["schemas"]["Id"];
                externalId: string | null;
                language: string | null;
                timezone: string | null;
                country: string | null;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                lastActiveAt: string;
                devices: {
                    ios: number;
                    android: number;
                    web: number;
                };
                reachable: number;
            }[];
            /** @description The cursor of the next page; null on the last page. */
            nextCursor: string | null;
        };
        SearchUsersOfAppBody: {
            token?: string;
            endpoint?: string;
        };
        SearchUsersOfAppAnswer: {
            user: {
                id: components["schemas"]["Id"];
                externalId?: string;
                tags: {
                    [key: string]: string | number | boolean;
                };
                language: string | null;
                timezone: string | null;
                country: string | null;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                lastActiveAt: string;
                subscriptions: {
                    id: components["schemas"]["Id"];
                    /** @enum {string} */
                    platform: "ios" | "android" | "web";
                    token?: string;
                    endpoint?: string;
                    optedIn: boolean;
                    appVersion: string | null;
                    sdkVersion: string | null;
                    osVersion: string | null;
                    deviceModel: string | null;
                    browser: string | null;
                    standalone: boolean | null;
                    sessionCount: number;
                    lastSessionAt: string | null;
                    /** Format: date-time */
                    createdAt: string;
                    /** Format: date-time */
                    lastActiveAt: string;
                    lastNotifiedAt: string | null;
                    invalidatedAt: string | null;
                    test: boolean;
                    /** @description Its tokens of Live Activities, always masked: `starts` for one that starts a type. Left out when there is none. */
                    activityTokens?: {
                        name: string;
                        starts: boolean;
                        attributesType: string;
                        token: string;
                        /** Format: date-time */
                        changedAt: string;
                    }[];
                }[];
                preferences: {
                    [key: string]: boolean;
                };
            };
        };
        Push: {
            campaignId: components["schemas"]["Id"];
            subscriptionId: components["schemas"]["Id"];
            userId: components["schemas"]["Id"];
            /** @enum {string} */
            platform: "ios" | "android" | "web";
            variant: string | null;
            /** @enum {string} */
            outcome: "sent" | "failed" | "skipped" | "open";
            /** @description One of token_dead, token_invalid, sender_mismatch, payload_too_large, payload_invalid, credentials_invalid, not_configured, rate_limited, provider_unavailable, network_error, timeout, encryption_failed, internal, deleted, owner_changed, invalidated, holdout, unsubscribed, opted_out, expired, silent_web, quiet_hours, frequency_cap, empty_content, cancelled. */
            code: string | null;
            providerCode: string | null;
            attempts: number;
            /** @description Null while the push is open. */
            settledAt: string | null;
            engagements: ("delivered" | "opened" | "clicked" | "dismissed")[];
            /**
             * @description Only on a push that is open.
             * @enum {string}
             */
            state?: "waiting" | "sending" | "held" | "retry";
            /** @description Only on a push that is open; null when it is tried at once or being sent. */
            nextTryAt?: string | null;
        };
        ReadUserOfAppAnswer: {
            id: components["schemas"]["Id"];
            externalId?: string;
            tags: {
                [key: string]: string | number | boolean;
            };
            language: string | null;
            timezone: string | null;
            country: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastActiveAt: string;
            subscriptions: {
                id: components["schemas"]["Id"];
                /** @enum {string} */
                platform: "ios" | "android" | "web";
                token?: string;
                endpoint?: string;
                optedIn: boolean;
                appVersion: string | null;
                sdkVersion: string | null;
                osVersion: string | null;
                deviceModel: string | null;
                browser: string | null;
                standalone: boolean | null;
                sessionCount: number;
                lastSessionAt: string | null;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                lastActiveAt: string;
                lastNotifiedAt: string | null;
                invalidatedAt: string | null;
                test: boolean;
                /** @description Its tokens of Live Activities, always masked: `starts` for one that starts a type. Left out when there is none. */
                activityTokens?: {
                    name: string;
                    starts: boolean;
                    attributesType: string;
                    token: string;
                    /** Format: date-time */
                    changedAt: string;
                }[];
            }[];
            preferences: {
                [key: string]: boolean;
            };
            /** @description The newest 50. */
            pushes: components["schemas"]["Push"][];
            /** @description The newest 50. */
            conversions: {
                id: string;
                name: string;
                /** Format: date-time */
                at: string;
                value: string | null;
                currency: string | null;
                /** @description The campaign that it is attributed to; null: none. */
                campaignId: components["schemas"]["Id"] | null;
                how: ("direct" | "influenced") | null;
            }[];
        };
        UserChanges: {
            tags?: components["schemas"]["TagChanges"];
            language?: string;
            timezone?: string;
            country?: string;
        };
        TagChanges: {
            [key: string]: string | number | boolean | null;
        };
        ChangeUserOfAppAnswer: {
            id: components["schemas"]["Id"];
            externalId?: string;
            tags: {
                [key: string]: string | number | boolean;
            };
            language: string | null;
            timezone: string | null;
            country: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastActiveAt: string;
            subscriptions: {
                id: components["schemas"]["Id"];
                /** @enum {string} */
                platform: "ios" | "android" | "web";
                token?: string;
                endpoint?: string;
                optedIn: boolean;
                appVersion: string | null;
                sdkVersion: string | null;
                osVersion: string | null;
                deviceModel: string | null;
                browser: string | null;
                standalone: boolean | null;
                sessionCount: number;
                lastSessionAt: string | null;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                lastActiveAt: string;
                lastNotifiedAt: string | null;
                invalidatedAt: string | null;
                test: boolean;
                /** @description Its tokens of Live Activities, always masked: `starts` for one that starts a type. Left out when there is none. */
                activityTokens?: {
                    name: string;
                    starts: boolean;
                    attributesType: string;
                    token: string;
                    /** Format: date-time */
                    changedAt: string;
                }[];
            }[];
            preferences: {
                [key: string]: boolean;
            };
        };
        ChangePreferencesOfAppBody: {
            categories: {
                [key: string]: boolean | null;
            };
        };
        ShownPreferences: {
            categories: {
                id: string;
                name: string;
                description: string | null;
                subscribed: boolean;
                /** @description Nobody can leave it. */
                locked: boolean;
            }[];
        };
        Inbox: {
            items: {
                /** @description The id of the notification or campaign. */
                id: string;
                title: string;
                body: string;
                url: string | null;
                image: string | null;
                actions: {
                    id: string;
                    title: string;
                    url: string | null;
                }[];
                data: {
                    [key: string]: string;
                };
                /** @description The id of the send’s category; null without one. */
                category: string | null;
                /** Format: date-time */
                sentAt: string;
                readAt: string | null;
                /** @description Whether a device reported that the notification was opened or clicked. */
                opened: boolean;
            }[];
            /** @description How many of the newest 100 items are unread. */
            unread: number;
            nextCursor: string | null;
        };
        ReadSubscriptionOfAppAnswer: {
            id: components["schemas"]["Id"];
            /** @enum {string} */
            platform: "ios" | "android" | "web";
            token?: string;
            endpoint?: string;
            optedIn: boolean;
            appVersion: string | null;
            sdkVersion: string | null;
            osVersion: string | null;
            deviceModel: string | null;
            browser: string | null;
            standalone: boolean | null;
            sessionCount: number;
            lastSessionAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastActiveAt: string;
            lastNotifiedAt: string | null;
            invalidatedAt: string | null;
            test: boolean;
            /** @description Its tokens of Live Activities, always masked: `starts` for one that starts a type. Left out when there is none. */
            activityTokens?: {
                name: string;
                starts: boolean;
                attributesType: string;
                token: string;
                /** Format: date-time */
                changedAt: string;
            }[];
            user: {
                id: components["schemas"]["Id"];
                externalId: string | null;
            };
            /** @description The newest 50. */
            pushes: components["schemas"]["Push"][];
        };
        ChangeSubscriptionOfAppBody: {
            optedIn?: boolean;
            appVersion?: string;
            osVersion?: string;
            deviceModel?: string;
            badge?: number;
            test?: boolean;
        };
        ChangeSubscriptionOfAppAnswer: {
            id: components["schemas"]["Id"];
            /** @enum {string} */
            platform: "ios" | "android" | "web";
            token?: string;
            endpoint?: string;
            optedIn: boolean;
            appVersion: string | null;
            sdkVersion: string | null;
            osVersion: string | null;
            deviceModel: string | null;
            browser: string | null;
            standalone: boolean | null;
            sessionCount: number;
            lastSessionAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastActiveAt: string;
            lastNotifiedAt: string | null;
            invalidatedAt: string | null;
            test: boolean;
            /** @description Its tokens of Live Activities, always masked: `starts` for one that starts a type. Left out when there is none. */
            activityTokens?: {
                name: string;
                starts: boolean;
                attributesType: string;
                token: string;
                /** Format: date-time */
                changedAt: string;
            }[];
            user: {
                id: components["schemas"]["Id"];
                externalId: string | null;
            };
        };
        StartImportBody: {
            /** @enum {string} */
            format: "onesignal_csv" | "csv" | "jsonl";
            /** @default false */
            dryRun: boolean;
            /**
             * @default keep
             * @enum {string}
             */
            onExisting: "keep" | "update";
            /**
             * @default skip
             * @enum {string}
             */
            web: "skip" | "import";
            /** @default false */
            assumeOptedIn: boolean;
            columns?: {
                [key: string]: string;
            };
            maxRowsPerSecond?: number;
        };
        StartImportAnswer: {
            id: string;
            /** @enum {string} */
            state: "receiving" | "finished" | "cancelled";
            /** @enum {string} */
            format: "onesignal_csv" | "csv" | "jsonl";
            dryRun: boolean;
            /** @enum {string} */
            onExisting: "keep" | "update";
            /** @enum {string} */
            web: "skip" | "import";
            columns: {
                [key: string]: string;
            } | null;
            assumeOptedIn: boolean;
            maxRowsPerSecond: number | null;
            offset: number;
            rows: number;
            bytes: number;
            created: number;
            updated: number;
            kept: number;
            rejected: number;
            byCode: {
                [key: string]: number;
            };
            byPlatform: {
                ios: number;
                android: number;
                web: number;
            };
            optedOut: number;
            warnings: {
                [key: string]: number;
            };
            rowsPerSecond: number | null;
            createdAt: string;
            endedAt: string | null;
        };
        SendImportDataAnswer: {
            id: string;
            /** @enum {string} */
            state: "receiving" | "finished" | "cancelled";
            /** @enum {string} */
            format: "onesignal_csv" | "csv" | "jsonl";
            dryRun: boolean;
            /** @enum {string} */
            onExisting: "keep" | "update";
            /** @enum {string} */
            web: "skip" | "import";
            columns: {
                [key: string]: string;
            } | null;
            assumeOptedIn: boolean;
            maxRowsPerSecond: number | null;
            offset: number;
            rows: number;
            bytes: number;
            created: number;
            updated: number;
            kept: number;
            rejected: number;
            byCode: {
                [key: string]: number;
            };
            byPlatform: {
                ios: number;
                android: number;
                web: number;
            };
            optedOut: number;
            warnings: {
                [key: string]: number;
            };
            rowsPerSecond: number | null;
            createdAt: string;
            endedAt: string | null;
        };
        FinishImportAnswer: {
            id: string;
            /** @enum {string} */
            state: "receiving" | "finished" | "cancelled";
            /** @enum {string} */
            format: "onesignal_csv" | "csv" | "jsonl";
            dryRun: boolean;
            /** @enum {string} */
            onExisting: "keep" | "update";
            /** @enum {string} */
            web: "skip" | "import";
            columns: {
                [key: string]: string;
            } | null;
            assumeOptedIn: boolean;
            maxRowsPerSecond: number | null;
            offset: number;
            rows: number;
            bytes: number;
            created: number;
            updated: number;
            kept: number;
            rejected: number;
            byCode: {
                [key: string]: number;
            };
            byPlatform: {
                ios: number;
                android: number;
                web: number;
            };
            optedOut: number;
            warnings: {
                [key: string]: number;
            };
            rowsPerSecond: number | null;
            createdAt: string;
            endedAt: string | null;
        };
        ListImportsAnswer: {
            items: {
                id: string;
                /** @enum {string} */
                state: "receiving" | "finished" | "cancelled";
                /** @enum {string} */
                format: "onesignal_csv" | "csv" | "jsonl";
                dryRun: boolean;
                /** @enum {string} */
                onExisting: "keep" | "update";
                /** @enum {string} */
                web: "skip" | "import";
                columns: {
                    [key: string]: string;
                } | null;
                assumeOptedIn: boolean;
                maxRowsPerSecond: number | null;
                offset: number;
                rows: number;
                bytes: number;
                created: number;
                updated: number;
                kept: number;
                rejected: number;
                byCode: {
                    [key: string]: number;
                };
                byPlatform: {
                    ios: number;
                    android: number;
                    web: number;
                };
                optedOut: number;
                warnings: {
                    [key: string]: number;
                };
                rowsPerSecond: number | null;
                createdAt: string;
                endedAt: string | null;
            }[];
            nextCursor: string | null;
        };
        ReadImportAnswer: {
            id: string;
            /** @enum {string} */
            state: "receiving" | "finished" | "cancelled";
            /** @enum {string} */
            format: "onesignal_csv" | "csv" | "jsonl";
            dryRun: boolean;
            /** @enum {string} */
            onExisting: "keep" | "update";
            /** @enum {string} */
            web: "skip" | "import";
            columns: {
                [key: string]: string;
            } | null;
            assumeOptedIn: boolean;
            maxRowsPerSecond: number | null;
            offset: number;
            rows: number;
            bytes: number;
            created: number;
            updated: number;
            kept: number;
            rejected: number;
            byCode: {
                [key: string]: number;
            };
            byPlatform: {
                ios: number;
                android: number;
                web: number;
            };
            optedOut: number;
            warnings: {
                [key: string]: number;
            };
            rowsPerSecond: number | null;
            createdAt: string;
            endedAt: string | null;
        };
        ListImportErrorsAnswer: {
            items: {
                row: number;
                column: string | null;
                code: string;
                message: string;
            }[];
            nextCursor: string | null;
        };
        BeginSessionBody: {
            token?: string;
            key?: string;
            code?: string;
            name?: string;
        };
        BeginSessionAnswer: {
            /** @description The name that the operator gave: the actor in the audit. */
            name: string;
            /**
             * Format: date-time
             * @description When the session ends unless it is used again.
             */
            expiresAt: string;
            /** @description For the header x-csrf-token of every change. */
            csrfToken: string;
            /** @description What the session may do: all, unless it began with an administration key. */
            scopes: ("read" | "send" | "people" | "settings")[];
            /** @description The app of the administration key that the session began with; null: every app, and Herald itself. */
            appId: components["schemas"]["Id"] | null;
        };
        ReadSessionAnswer: {
            /** @description The name that the operator gave: the actor in the audit. */
            name: string;
            /**
             * Format: date-time
             * @description When the session ends unless it is used again.
             */
            expiresAt: string;
            /** @description For the header x-csrf-token of every change. */
            csrfToken: string;
            /** @description What the session may do: all, unless it began with an administration key. */
            scopes: ("read" | "send" | "people" | "settings")[];
            /** @description The app of the administration key that the session began with; null: every app, and Herald itself. */
            appId: components["schemas"]["Id"] | null;
        };
        ListSessionsAnswer: {
            items: {
                id: components["schemas"]["Id"];
                name: string;
                /** @description The User-Agent of the browser that signed in. */
                browser: string;
                /** Format: date-time */
                createdAt: string;
                /**
                 * Format: date-time
                 * @description Up to a minute late.
                 */
                lastUsedAt: string;
                /** @description The administration key that it began with. */
                keyName: string | null;
                /** @description Whether it is the session of this request. */
                isThis: boolean;
            }[];
        };
        MakeSignInLinkBody: {
            name?: string;
        };
        MakeSignInLinkAnswer: {
            url: string;
            /** Format: date-time */
            expiresAt: string;
        };
        TakeSimulatedAccountBody: {
            appId: string;
            /** @enum {string} */
            kind: "apns" | "fcm" | "webpush";
        };
        TakeSimulatedAccountAnswer: {
            /** @enum {string} */
            kind: "apns" | "fcm" | "webpush";
        };
        Tags: {
            [key: string]: string | number | boolean;
        };
        AddSimulatedDeviceBody: {
            appId: string;
            /** @enum {string} */
            platform: "ios" | "android" | "web";
            name?: string;
            externalId?: string;
            language?: string;
            timezone?: string;
            country?: string;
            tags?: components["schemas"]["Tags"];
        };
        AddSimulatedDeviceAnswer: {
            id: string;
            /** @enum {string} */
            platform: "ios" | "android" | "web";
            /** @description Its name; null for a device of the demo, and for one without a name. */
            name: string | null;
            /** @description True when an operator added it: it reports delivered by itself, and the operator does the rest. */
            byHand: boolean;
            subscriptionId: components["schemas"]["Id"] | null;
            /** @description The environment of APNs; empty for other platforms. */
            environment: string;
            behaviour: {
                answer: string;
                retryAfterSeconds: number | null;
                delayMs: number | null;
            };
        };
        ListSimulatedDevicesAnswer: {
            items: {
                id: string;
                /** @enum {string} */
                platform: "ios" | "android" | "web";
                /** @description Its name; null for a device of the demo, and for one without a name. */
                name: string | null;
                /** @description True when an operator added it: it reports delivered by itself, and the operator does the rest. */
                byHand: boolean;
                subscriptionId: components["schemas"]["Id"] | null;
                /** @description The environment of APNs; empty for other platforms. */
                environment: string;
                behaviour: {
                    answer: string;
                    retryAfterSeconds: number | null;
                    delayMs: number | null;
                };
            }[];
            /** @description The cursor of the next page; null on the last page. */
            nextCursor: string | null;
        };
        SetSimulatedBehaviourBody: {
            /** @enum {string} */
            answer: "ok" | "dead" | "bad_token" | "rate_limited" | "failing" | "unavailable" | "sender_mismatch" | "silent" | "slow" | "reset_after_accept" | "accepted_then_503";
            retryAfterSeconds?: number;
            delayMs?: number;
            times?: number;
        };
        SetSimulatedBehaviourAnswer: {
            id: string;
            /** @enum {string} */
            platform: "ios" | "android" | "web";
            /** @description Its name; null for a device of the demo, and for one without a name. */
            name: string | null;
            /** @description True when an operator added it: it reports delivered by itself, and the operator does the rest. */
            byHand: boolean;
            subscriptionId: components["schemas"]["Id"] | null;
            /** @description The environment of APNs; empty for other platforms. */
            environment: string;
            behaviour: {
                answer: string;
                retryAfterSeconds: number | null;
                delayMs: number | null;
            };
        };
        ListSimulatedPushesAnswer: {
            items: {
                /** @description Its place in the simulator’s record, which begins at 1 again whenever the simulator starts. */
                seq: number;
                /** Format: date-time */
                at: string;
                deviceId: string;
                /** @enum {string} */
                platform: "ios" | "android" | "web";
                environment: string;
                subscriptionId: components["schemas"]["Id"] | null;
                userId: components["schemas"]["Id"] | null;
                campaignId: components["schemas"]["Id"] | null;
                variant: string | null;
                /** @description For the tracking calls of a tap, an action or a swipe. */
                msgId: string | null;
                /** @description What the device shows; null when the push is silent. */
                shown: {
                    title: string;
                    body: string;
                    url: string | null;
                    image: string | null;
                    actions: {
                        id: string;
                        title: string;
                        url: string | null;
                    }[];
                    badge: number | null;
                    sound: string | null;
                } | null;
                data: {
                    [key: string]: string;
                };
                headers: {
                    [key: string]: string;
                };
                bytes: number;
                /** @description Exactly what the provider took; decrypted for a browser, and for Android with only the end of the token. */
                payload: unknown;
                error: string | null;
            }[];
            /** @description The cursor of the next page; null on the last page. */
            nextCursor: string | null;
        };
        SystemRead: {
            version: string;
            baseUrl: string | null;
            /** @enum {string} */
            database: "ready" | "unreachable";
            /** @description Whether the gateway’s database has a standby. A failover to an asynchronous one loses the newest sends. */
            standby: ("none" | "synchronous" | "asynchronous") | null;
            /**
             * @description NATS, over which the services of Herald speak.
             * @enum {string}
             */
            queue: "ready" | "unreachable";
            /** @description By how much counters and ledger differ in all; it must be 0. Null when it is not counted yet, or the tracker is away. */
            ledgerDifference: number | null;
            /** @description The open circuits of all apps: the 100 newest. Null when audience is away. */
            openCircuits: {
                count: number;
                items: {
                    appId: components["schemas"]["Id"];
                    /** @enum {string} */
                    platform: "ios" | "android" | "web";
                    /**
                     * @description The environment of APNs; empty for other platforms.
                     * @enum {string}
                     */
                    environment: "" | "production" | "sandbox";
                    /** @description Why the circuit is open. */
                    code: ("token_dead" | "token_invalid" | "sender_mismatch" | "payload_too_large" | "payload_invalid" | "credentials_invalid" | "not_configured" | "rate_limited" | "provider_unavailable" | "network_error" | "timeout" | "encryption_failed" | "internal") | null;
                    /** Format: date-time */
                    since: string;
                    /** @description When the next probe is made. */
                    probeAt: string | null;
                }[];
            } | null;
            /** @description Whether TRUSTED_PROXIES is set. If not, the proxy in front must overwrite x-forwarded-for. */
            trustedProxies: boolean;
            /** @description True when providers are simulated: no real device gets anything. */
            simulator: boolean;
        };
    };
    responses: {
        /** @description unauthorized */
        "401-unauthorized": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description forbidden */
        "403-forbidden": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description not_found */
        "404-not_found": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description body_too_large */
        "413-body_too_large": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description unsupported_media_type */
        "415-unsupported_media_type": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description invalid_body */
        "422-invalid_body": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description rate_limited */
        "429-rate_limited": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description database_unavailable, queue_unavailable */
        "503-database_unavailable-queue_unavailable": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description limit_reached */
        "409-limit_reached": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description invalid_state */
        "409-invalid_state": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description invalid_body, invalid_segment */
        "422-invalid_body-invalid_segment": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description duplicate_name, limit_reached */
        "409-duplicate_name-limit_reached": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description duplicate_name */
        "409-duplicate_name": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description not_an_experiment, still_sending, invalid_state, no_remainder, winner_already_sent */
        "409-not_an_experiment-still_sending-invalid_state-no_remainder-winner_already_sent": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description invalid_body, unknown_variant */
        "422-invalid_body-unknown_variant": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description invalid_state, limit_reached */
        "409-invalid_state-limit_reached": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description limit_reached, idempotency_in_progress */
        "409-limit_reached-idempotency_in_progress": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description invalid_body, invalid_segment, idempotency_key_reused */
        "422-invalid_body-invalid_segment-idempotency_key_reused": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description invalid_state, idempotency_in_progress */
        "409-invalid_state-idempotency_in_progress": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description invalid_body, idempotency_key_reused */
        "422-invalid_body-idempotency_key_reused": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description not_an_experiment, invalid_state */
        "409-not_an_experiment-invalid_state": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description idempotency_in_progress */
        "409-idempotency_in_progress": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description invalid_body, idempotency_key_reused, unknown_variant */
        "422-invalid_body-idempotency_key_reused-unknown_variant": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description queue_unavailable, database_unavailable */
        "503-queue_unavailable-database_unavailable": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
        RequestId: string;
        /**
         * @description The same request with the same key gets the first answer again, with Idempotent-Replayed: true, as long as the key is kept: 24 hours unless the operator sets another time.
         * @example order-17-shipped
         */
        IdempotencyKey: string;
        /**
         * @description Gives each item without a key of its own the key `<Idempotency-Key>:<index>`: the same request again sends only what is missing, as long as keys are kept (24 hours unless the operator sets another time).
         * @example orders-of-today
         */
        ItemsIdempotencyKey: string;
        /**
         * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
         * @example Ann Miller
         */
        AdminActor: string;
    };
    requestBodies: never;
    headers: {
        /** @description Names this request in the log. */
        "x-request-id": string;
        /** @description Requests per minute, where there is a limit. */
        "RateLimit-Limit": number;
        /** @description Requests left in this minute. */
        "RateLimit-Remaining": number;
        /** @description Seconds until the next minute begins. */
        "RateLimit-Reset": number;
        /** @description Seconds to wait. */
        "Retry-After": number;
        /** @description true: this is the answer of an earlier request. */
        "Idempotent-Replayed": "true";
        /** @description Bearer */
        "WWW-Authenticate": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listApps: {
        parameters: {
            query?: {
                /** @description The most items of a page. */
                limit?: number;
                /** @description Continues a list: the `nextCursor` of the previous answer. */
                cursor?: string;
                /** @description Only items whose name contains this text, in upper or lower case. */
                q?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List apps, newest first */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a06",
                     *           "name": "Shop",
                     *           "settings": {
                     *             "defaultTimezone": "Europe/Vienna",
                     *             "frequencyCap": {
                     *               "max": 3,
                     *               "windowSeconds": 86400
                     *             },
                     *             "quietHours": {
                     *               "start": "22:00",
                     *               "end": "08:00",
                     *               "action": "hold"
                     *             },
                     *             "identityVerification": "off",
                     *             "attribution": {
                     *               "directHours": 24,
                     *               "influencedHours": 1
                     *             },
                     *             "conversions": {
                     *               "publicValues": false
                     *             },
                     *             "holdout": null,
                     *             "inboxDays": 30,
                     *             "approval": {
                     *               "devices": 10000
                     *             },
                     *             "mostPictures": 200
                     *           },
                     *           "createdAt": "2026-01-12T09:00:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["AppList"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAppBody"];
            };
        };
        responses: {
            /** @description Make an app */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a06",
                     *       "name": "Shop",
                     *       "settings": {
                     *         "defaultTimezone": "Europe/Vienna",
                     *         "frequencyCap": {
                     *           "max": 3,
                     *           "windowSeconds": 86400
                     *         },
                     *         "quietHours": {
                     *           "start": "22:00",
                     *           "end": "08:00",
                     *           "action": "hold"
                     *         },
                     *         "identityVerification": "off",
                     *         "attribution": {
                     *           "directHours": 24,
                     *           "influencedHours": 1
                     *         },
                     *         "conversions": {
                     *           "publicValues": false
                     *         },
                     *         "holdout": null,
                     *         "inboxDays": 30,
                     *         "approval": {
                     *           "devices": 10000
                     *         },
                     *         "mostPictures": 200
                     *       },
                     *       "createdAt": "2026-01-12T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AppRead"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read an app */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a06",
                     *       "name": "Shop",
                     *       "settings": {
                     *         "defaultTimezone": "Europe/Vienna",
                     *         "frequencyCap": {
                     *           "max": 3,
                     *           "windowSeconds": 86400
                     *         },
                     *         "quietHours": {
                     *           "start": "22:00",
                     *           "end": "08:00",
                     *           "action": "hold"
                     *         },
                     *         "identityVerification": "off",
                     *         "attribution": {
                     *           "directHours": 24,
                     *           "influencedHours": 1
                     *         },
                     *         "conversions": {
                     *           "publicValues": false
                     *         },
                     *         "holdout": null,
                     *         "inboxDays": 30,
                     *         "approval": {
                     *           "devices": 10000
                     *         },
                     *         "mostPictures": 200
                     *       },
                     *       "createdAt": "2026-01-12T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AppRead"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeAppBody"];
            };
        };
        responses: {
            /** @description Change the name or settings of an app */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a06",
                     *       "name": "Shop",
                     *       "settings": {
                     *         "defaultTimezone": "Europe/Vienna",
                     *         "frequencyCap": {
                     *           "max": 3,
                     *           "windowSeconds": 86400
                     *         },
                     *         "quietHours": {
                     *           "start": "22:00",
                     *           "end": "08:00",
                     *           "action": "hold"
                     *         },
                     *         "identityVerification": "off",
                     *         "attribution": {
                     *           "directHours": 24,
                     *           "influencedHours": 1
                     *         },
                     *         "conversions": {
                     *           "publicValues": false
                     *         },
                     *         "holdout": null,
                     *         "inboxDays": 30,
                     *         "approval": {
                     *           "devices": 10000
                     *         },
                     *         "mostPictures": 200
                     *       },
                     *       "createdAt": "2026-01-12T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AppRead"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    makeIdentitySecret: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Make the secret that signs identity tokens, in the place of an earlier one */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secret": "ids_the-secret-that-signs-identity-tokens"
                     *     }
                     */
                    "application/json": components["schemas"]["IdentitySecret"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: {
                /** @description The most items of a page. */
                limit?: number;
                /** @description Continues a list: the `nextCursor` of the previous answer. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the API keys of an app, newest first */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a07",
                     *           "kind": "secret",
                     *           "name": "backend",
                     *           "scopes": [
                     *             "notifications:send",
                     *             "campaigns:read"
                     *           ],
                     *           "hint": "a1b2",
                     *           "publicText": null,
                     *           "createdAt": "2026-01-12T09:00:00.000Z",
                     *           "lastUsedAt": "2026-01-13T18:00:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKeyList"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateKeyBody"];
            };
        };
        responses: {
            /** @description Make an API key; its text is shown this once */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a07",
                     *       "kind": "secret",
                     *       "name": "backend",
                     *       "scopes": [
                     *         "notifications:send",
                     *         "campaigns:read"
                     *       ],
                     *       "hint": "a1b2",
                     *       "publicText": null,
                     *       "createdAt": "2026-01-12T09:00:00.000Z",
                     *       "lastUsedAt": null,
                     *       "key": "sk_live_671a2b3c4d5e6f7081920a06_the-secret-part-of-the-key"
                     *     }
                     */
                    "application/json": components["schemas"]["MadeApiKey"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a07 */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAdminKeys: {
        parameters: {
            query?: {
                /** @description The most items of a page. */
                limit?: number;
                /** @description Continues a list: the `nextCursor` of the previous answer. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the administration keys of an app, newest first */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a07",
                     *           "name": "release pipeline",
                     *           "scopes": [
                     *             "read",
                     *             "send"
                     *           ],
                     *           "hint": "c3d4",
                     *           "createdAt": "2026-01-12T09:00:00.000Z",
                     *           "lastUsedAt": "2026-01-13T18:00:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["AdminKeyList"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createAdminKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAdminKeyBody"];
            };
        };
        responses: {
            /** @description Make a key of the administration for this app; its text is shown this once */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a07",
                     *       "name": "release pipeline",
                     *       "scopes": [
                     *         "read",
                     *         "send"
                     *       ],
                     *       "hint": "c3d4",
                     *       "createdAt": "2026-01-12T09:00:00.000Z",
                     *       "lastUsedAt": null,
                     *       "key": "ak_live_671a2b3c4d5e6f7081920a06_the-secret-part-of-the-key"
                     *     }
                     */
                    "application/json": components["schemas"]["MadeAdminKey"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-limit_reached"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeAdminKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a07 */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "read-apns": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the credentials, without secrets, and the circuits to the provider */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "teamId": "TEAM000001",
                     *       "keyId": "KEY0000001",
                     *       "bundleId": "com.example.shop",
                     *       "environment": "production",
                     *       "circuits": [
                     *         {
                     *           "platform": "ios",
                     *           "environment": "production",
                     *           "state": "open",
                     *           "code": "credentials_invalid",
                     *           "since": "2026-01-13T18:30:00.000Z",
                     *           "probeAt": "2026-01-13T18:30:30.000Z",
                     *           "heldCount": 1200
                     *         }
                     *       ],
                     *       "former": {
                     *         "teamId": "TEAM000001",
                     *         "keyId": "KEY0000000",
                     *         "bundleId": "com.example.shop",
                     *         "environment": "production",
                     *         "replacedAt": "2026-01-13T18:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Read-apnsAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setApns: {
        parameters: {
            query?: {
                /** @description true: the credentials are set without asking the provider about them. */
                unchecked?: "true" | "false";
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetApnsBody"];
            };
        };
        responses: {
            /** @description Set the APNs credentials */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "teamId": "TEAM000001",
                     *       "keyId": "KEY0000001",
                     *       "bundleId": "com.example.shop",
                     *       "environment": "production"
                     *     }
                     */
                    "application/json": components["schemas"]["SetApnsAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-invalid_state"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "remove-apns": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "read-fcm": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the credentials, without secrets, and the circuits to the provider */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "projectId": "shop-project",
                     *       "clientEmail": "sender@shop-project.iam.gserviceaccount.com",
                     *       "tokenUri": "https://oauth2.googleapis.com/token",
                     *       "circuits": [],
                     *       "former": null
                     *     }
                     */
                    "application/json": components["schemas"]["Read-fcmAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setFcm: {
        parameters: {
            query?: {
                /** @description true: the credentials are set without asking the provider about them. */
                unchecked?: "true" | "false";
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetFcmBody"];
            };
        };
        responses: {
            /** @description Set the FCM credentials */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "projectId": "shop-project",
                     *       "clientEmail": "sender@shop-project.iam.gserviceaccount.com",
                     *       "tokenUri": "https://oauth2.googleapis.com/token"
                     *     }
                     */
                    "application/json": components["schemas"]["SetFcmAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-invalid_state"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "remove-fcm": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "read-webpush": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the credentials, without secrets, and the circuits to the provider */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subject": "mailto:ops@shop.example",
                     *       "publicKey": "BNbN3OiAWKh0TIvvWGqHPBQfpGcJ_Yl2-TqnJLQjCkdUJpbOjPbcWEWzOvkBGDMbnGGJQbLq2O4AgBb3mWMRXlE",
                     *       "circuits": [],
                     *       "former": null
                     *     }
                     */
                    "application/json": components["schemas"]["Read-webpushAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setWebPush: {
        parameters: {
            query?: {
                /** @description true: the credentials are set without asking the provider about them. */
                unchecked?: "true" | "false";
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetWebPushBody"];
            };
        };
        responses: {
            /** @description Set the Web Push credentials; keys are made when there are none */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subject": "mailto:ops@shop.example",
                     *       "publicKey": "BNbN3OiAWKh0TIvvWGqHPBQfpGcJ_Yl2-TqnJLQjCkdUJpbOjPbcWEWzOvkBGDMbnGGJQbLq2O4AgBb3mWMRXlE"
                     *     }
                     */
                    "application/json": components["schemas"]["SetWebPushAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-invalid_state"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "remove-webpush": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "probe-apns": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Probe the provider now where a circuit is open; answers how many circuits are */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "open": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Probed"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "check-apns": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ask the provider whether it takes the credentials; nobody gets a push */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ok": false,
                     *       "code": "credentials_invalid",
                     *       "providerCode": "403 InvalidProviderToken",
                     *       "remedy": "Check that team id and key id are those of the .p8 key, and that Apple has not revoked the key."
                     *     }
                     */
                    "application/json": components["schemas"]["ProviderChecked"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "rollback-apns": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Bring back the credentials that were replaced last; those in use are kept in their place */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "teamId": "TEAM000001",
                     *       "keyId": "KEY0000001",
                     *       "bundleId": "com.example.shop",
                     *       "environment": "production"
                     *     }
                     */
                    "application/json": components["schemas"]["Rollback-apnsAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-invalid_state"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "probe-fcm": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Probe the provider now where a circuit is open; answers how many circuits are */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "open": 0
                     *     }
                     */
                    "application/json": components["schemas"]["Probed"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "check-fcm": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ask the provider whether it takes the credentials; nobody gets a push */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ok": true,
                     *       "code": null,
                     *       "providerCode": "400 INVALID_ARGUMENT message.token",
                     *       "remedy": null
                     *     }
                     */
                    "application/json": components["schemas"]["ProviderChecked"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "rollback-fcm": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Bring back the credentials that were replaced last; those in use are kept in their place */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "projectId": "shop-project",
                     *       "clientEmail": "sender@shop-project.iam.gserviceaccount.com",
                     *       "tokenUri": "https://oauth2.googleapis.com/token"
                     *     }
                     */
                    "application/json": components["schemas"]["Rollback-fcmAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-invalid_state"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "probe-webpush": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Probe the provider now where a circuit is open; answers how many circuits are */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "open": 0
                     *     }
                     */
                    "application/json": components["schemas"]["Probed"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "check-webpush": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ask the provider whether it takes the credentials; nobody gets a push */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ok": true,
                     *       "code": null,
                     *       "providerCode": null,
                     *       "remedy": null
                     *     }
                     */
                    "application/json": components["schemas"]["ProviderChecked"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "rollback-webpush": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Bring back the credentials that were replaced last; those in use are kept in their place */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subject": "mailto:ops@shop.example",
                     *       "publicKey": "BNbN3OiAWKh0TIvvWGqHPBQfpGcJ_Yl2-TqnJLQjCkdUJpbOjPbcWEWzOvkBGDMbnGGJQbLq2O4AgBb3mWMRXlE"
                     *     }
                     */
                    "application/json": components["schemas"]["Rollback-webpushAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-invalid_state"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPushes: {
        parameters: {
            query?: {
                campaignId?: string;
                userId?: string;
                subscriptionId?: string;
                /** @description Only pushes with this outcome; `open`: only pushes that have none yet. Without it open pushes come first. */
                outcome?: "sent" | "failed" | "skipped" | "open";
                code?: string;
                platform?: "ios" | "android" | "web";
                /** @description Only pushes of which the device has reported this. An open push has no reports. */
                reported?: "delivered" | "opened" | "clicked" | "dismissed";
                /** @description Only pushes that ended at this moment or later; of open pushes those that were queued at this moment or later. */
                from?: string;
                /** @description Only pushes that ended before this moment; of open pushes those that were queued before it. */
                to?: string;
                /** @description The most items of a page. */
                limit?: number;
                /** @description Continues a list: the `nextCursor` of the previous answer. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List pushes with their outcomes, newest first; open pushes come before the others, with the last answer of their provider */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "campaignId": "671a2b3c4d5e6f7081920a05",
                     *           "subscriptionId": "671a2b3c4d5e6f7081920a01",
                     *           "userId": "671a2b3c4d5e6f7081920a02",
                     *           "platform": "ios",
                     *           "variant": null,
                     *           "outcome": "open",
                     *           "code": "rate_limited",
                     *           "providerCode": "429 TooManyRequests",
                     *           "attempts": 1,
                     *           "settledAt": null,
                     *           "engagements": [],
                     *           "state": "retry",
                     *           "nextTryAt": "2026-02-06T15:00:06.000Z",
                     *           "externalId": "customer-4711"
                     *         },
                     *         {
                     *           "campaignId": "671a2b3c4d5e6f7081920a05",
                     *           "subscriptionId": "671a2b3c4d5e6f7081920a01",
                     *           "userId": "671a2b3c4d5e6f7081920a02",
                     *           "platform": "ios",
                     *           "variant": null,
                     *           "outcome": "failed",
                     *           "code": "token_dead",
                     *           "providerCode": "410 Unregistered",
                     *           "attempts": 1,
                     *           "settledAt": "2026-02-06T15:00:02.000Z",
                     *           "engagements": [],
                     *           "externalId": "customer-4711"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ListPushesAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportPushes: {
        parameters: {
            query?: {
                campaignId?: string;
                userId?: string;
                subscriptionId?: string;
                /** @description Only pushes with this outcome; `open`: only pushes that have none yet. Without it open pushes come first. */
                outcome?: "sent" | "failed" | "skipped" | "open";
                code?: string;
                platform?: "ios" | "android" | "web";
                /** @description Only pushes of which the device has reported this. An open push has no reports. */
                reported?: "delivered" | "opened" | "clicked" | "dismissed";
                /** @description Only pushes that ended at this moment or later; of open pushes those that were queued at this moment or later. */
                from?: string;
                /** @description Only pushes that ended before this moment; of open pushes those that were queued before it. */
                to?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export all pushes that match the filters as a CSV; a connection that is cut means that some are missing */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    explainSend: {
        parameters: {
            query: {
                campaignId: string;
                subscriptionId?: string;
                userId?: string;
                externalId?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Explain why a device, or the devices of a user, got a campaign or did not */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "campaignId": "671a2b3c4d5e6f7081920a05",
                     *       "status": "sent",
                     *       "startedAt": "2026-01-13T18:30:00.000Z",
                     *       "fannedOutAt": "2026-01-13T18:30:02.000Z",
                     *       "user": {
                     *         "id": "671a2b3c4d5e6f7081920a02",
                     *         "externalId": "customer-4711"
                     *       },
                     *       "devices": [
                     *         {
                     *           "subscriptionId": "671a2b3c4d5e6f7081920a01",
                     *           "platform": "ios",
                     *           "verdict": "not_queued",
                     *           "certainty": "likely",
                     *           "sentence": "Not in the segment: tags.plan is free (the segment wants pro).",
                     *           "waitingFor": null,
                     *           "steps": [
                     *             {
                     *               "step": "device",
                     *               "result": "pass",
                     *               "basis": "frozen",
                     *               "createdAt": "2026-01-12T09:00:00.000Z",
                     *               "inBounds": true,
                     *               "deleted": false
                     *             },
                     *             {
                     *               "step": "reachable",
                     *               "result": "pass",
                     *               "basis": "now",
                     *               "optedIn": true,
                     *               "optedOutAt": null,
                     *               "invalidatedAt": null,
                     *               "invalidatedBy": null,
                     *               "registeredAt": "2026-01-12T09:00:00.000Z"
                     *             },
                     *             {
                     *               "step": "segment",
                     *               "result": "stop",
                     *               "basis": "now",
                     *               "changedSince": false,
                     *               "leaves": [
                     *                 {
                     *                   "path": "segment.and.0",
                     *                   "field": "tags.plan",
                     *                   "op": "eq",
                     *                   "wanted": "pro",
                     *                   "actual": "free",
                     *                   "matched": false
                     *                 }
                     *               ]
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ExplainSendAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description The most items of a page. */
                limit?: number;
                /** @description Continues a list: the `nextCursor` of the previous answer. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the webhook endpoints of an app, newest first */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a08",
                     *           "appId": "671a2b3c4d5e6f7081920a06",
                     *           "url": "https://backend.shop.example/herald",
                     *           "description": "Orders",
                     *           "eventTypes": [
                     *             "notification.failed",
                     *             "campaign.completed"
                     *           ],
                     *           "enabled": true,
                     *           "disabledReason": null,
                     *           "disabledAt": null,
                     *           "consecutiveFailures": 0,
                     *           "secretHint": "x9Zk",
                     *           "lastDeliveryAt": "2026-01-13T18:30:00.000Z",
                     *           "lastStatus": 204,
                     *           "lastError": null,
                     *           "waitingEvents": 0,
                     *           "droppedEvents": 0,
                     *           "storedBytes": 18400,
                     *           "createdAt": "2026-01-12T09:00:00.000Z",
                     *           "updatedAt": "2026-01-12T09:00:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookBody"];
            };
        };
        responses: {
            /** @description Make a webhook endpoint; its secret is shown this once */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a08",
                     *       "appId": "671a2b3c4d5e6f7081920a06",
                     *       "url": "https://backend.shop.example/herald",
                     *       "description": "Orders",
                     *       "eventTypes": [
                     *         "notification.failed",
                     *         "campaign.completed"
                     *       ],
                     *       "enabled": true,
                     *       "disabledReason": null,
                     *       "disabledAt": null,
                     *       "consecutiveFailures": 0,
                     *       "secretHint": "x9Zk",
                     *       "lastDeliveryAt": "2026-01-13T18:30:00.000Z",
                     *       "lastStatus": 204,
                     *       "lastError": null,
                     *       "waitingEvents": 0,
                     *       "droppedEvents": 0,
                     *       "storedBytes": 18400,
                     *       "createdAt": "2026-01-12T09:00:00.000Z",
                     *       "updatedAt": "2026-01-12T09:00:00.000Z",
                     *       "secret": "whsec_the-secret-that-signs-deliveries"
                     *     }
                     */
                    "application/json": components["schemas"]["MadeWebhook"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a00 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a webhook endpoint */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a08",
                     *       "appId": "671a2b3c4d5e6f7081920a06",
                     *       "url": "https://backend.shop.example/herald",
                     *       "description": "Orders",
                     *       "eventTypes": [
                     *         "notification.failed",
                     *         "campaign.completed"
                     *       ],
                     *       "enabled": true,
                     *       "disabledReason": null,
                     *       "disabledAt": null,
                     *       "consecutiveFailures": 0,
                     *       "secretHint": "x9Zk",
                     *       "lastDeliveryAt": "2026-01-13T18:30:00.000Z",
                     *       "lastStatus": 204,
                     *       "lastError": null,
                     *       "waitingEvents": 0,
                     *       "droppedEvents": 0,
                     *       "storedBytes": 18400,
                     *       "createdAt": "2026-01-12T09:00:00.000Z",
                     *       "updatedAt": "2026-01-12T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a00 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a00 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeWebhookBody"];
            };
        };
        responses: {
            /** @description Change a webhook endpoint, or switch it off */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a08",
                     *       "appId": "671a2b3c4d5e6f7081920a06",
                     *       "url": "https://backend.shop.example/herald",
                     *       "description": "Orders",
                     *       "eventTypes": [
                     *         "notification.failed",
                     *         "campaign.completed"
                     *       ],
                     *       "enabled": false,
                     *       "disabledReason": "manual",
                     *       "disabledAt": "2026-01-13T18:30:00.000Z",
                     *       "consecutiveFailures": 0,
                     *       "secretHint": "x9Zk",
                     *       "lastDeliveryAt": "2026-01-13T18:30:00.000Z",
                     *       "lastStatus": 204,
                     *       "lastError": null,
                     *       "waitingEvents": 0,
                     *       "droppedEvents": 0,
                     *       "storedBytes": 18400,
                     *       "createdAt": "2026-01-12T09:00:00.000Z",
                     *       "updatedAt": "2026-01-12T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    enableWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a00 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Switch a webhook endpoint on again; its failures are forgotten */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a08",
                     *       "appId": "671a2b3c4d5e6f7081920a06",
                     *       "url": "https://backend.shop.example/herald",
                     *       "description": "Orders",
                     *       "eventTypes": [
                     *         "notification.failed",
                     *         "campaign.completed"
                     *       ],
                     *       "enabled": true,
                     *       "disabledReason": null,
                     *       "disabledAt": null,
                     *       "consecutiveFailures": 0,
                     *       "secretHint": "x9Zk",
                     *       "lastDeliveryAt": "2026-01-13T18:30:00.000Z",
                     *       "lastStatus": 204,
                     *       "lastError": null,
                     *       "waitingEvents": 0,
                     *       "droppedEvents": 0,
                     *       "storedBytes": 18400,
                     *       "createdAt": "2026-01-12T09:00:00.000Z",
                     *       "updatedAt": "2026-01-12T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a00 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Make a new secret, shown this once; the old one is void at once */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secret": "whsec_the-secret-that-signs-deliveries"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookSecret"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a00 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Send a signed ping and answer the status of the response */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 204,
                     *       "error": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookTested"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                state?: "pending" | "delivered" | "failed" | "erased";
                /** @description Only deliveries that were made at this moment or later. */
                from?: string;
                /** @description Only deliveries that were made before this moment. */
                to?: string;
                /** @description The most items of a page. */
                limit?: number;
                /** @description Continues a list: the `nextCursor` of the previous answer. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a00 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the deliveries of a webhook endpoint with their attempts, newest first */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "dlv_66f0c1a2b3c4d5e6f7a8b9c0",
                     *           "state": "delivered",
                     *           "eventCount": 17,
                     *           "attempts": [
                     *             {
                     *               "at": "2026-01-13T18:30:00.000Z",
                     *               "status": 204,
                     *               "error": null,
                     *               "latencyMs": 38
                     *             }
                     *           ],
                     *           "nextAttemptAt": null,
                     *           "replayable": true,
                     *           "createdAt": "2026-01-13T18:30:00.000Z",
                     *           "endedAt": "2026-01-13T18:30:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDeliveryList"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a00 */
                id: string;
                /** @example dlv_66f0c1a2b3c4d5e6f7a8b9c0 */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a delivery with its attempts and, while it is kept, its body */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dlv_66f0c1a2b3c4d5e6f7a8b9c0",
                     *       "state": "delivered",
                     *       "eventCount": 1,
                     *       "attempts": [
                     *         {
                     *           "at": "2026-02-01T08:00:01.000Z",
                     *           "status": 204,
                     *           "error": null,
                     *           "latencyMs": 48
                     *         }
                     *       ],
                     *       "nextAttemptAt": null,
                     *       "replayable": true,
                     *       "createdAt": "2026-02-01T08:00:01.000Z",
                     *       "endedAt": "2026-02-01T08:00:01.048Z",
                     *       "body": "{\"id\":\"dlv_66f0c1a2b3c4d5e6f7a8b9c0\",\"events\":[]}"
                     *     }
                     */
                    "application/json": components["schemas"]["ReadWebhookDeliveryAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    replayWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a00 */
                id: string;
                /** @example dlv_66f0c1a2b3c4d5e6f7a8b9c0 */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Send a delivery again, with the same id and bytes */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dlv_66f0c1a2b3c4d5e6f7a8b9c0",
                     *       "state": "pending",
                     *       "eventCount": 17,
                     *       "attempts": [
                     *         {
                     *           "at": "2026-01-13T18:30:00.000Z",
                     *           "status": 204,
                     *           "error": null,
                     *           "latencyMs": 38
                     *         }
                     *       ],
                     *       "nextAttemptAt": null,
                     *       "replayable": true,
                     *       "createdAt": "2026-01-13T18:30:00.000Z",
                     *       "endedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    watchEventsOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Watch what happens to pushes, as server-sent events: what webhook endpoints would get */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTagsOfApp: {
        parameters: {
            query?: {
                /** @description The most items of a page. */
                limit?: number;
                /** @description Continues a list: the `nextCursor` of the previous answer. */
                cursor?: string;
                /** @description Only items whose name contains this text, in upper or lower case. */
                q?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the tags that users have, by name: type, number of users and sample values */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "name": "orders",
                     *           "type": "number",
                     *           "users": 81200,
                     *           "low": 79900,
                     *           "high": 82500,
                     *           "values": [
                     *             "0",
                     *             "1",
                     *             "2",
                     *             "3",
                     *             "5"
                     *           ]
                     *         },
                     *         {
                     *           "name": "plan",
                     *           "type": "string",
                     *           "users": 120400,
                     *           "low": 119800,
                     *           "high": 121000,
                     *           "values": [
                     *             "free",
                     *             "pro",
                     *             "team"
                     *           ]
                     *         }
                     *       ],
                     *       "nextCursor": null,
                     *       "exact": false,
                     *       "sample": 9133,
                     *       "users": 120400,
                     *       "asOf": "2026-02-01T08:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ListTagsOfAppAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAuditOfHerald: {
        parameters: {
            query?: {
                action?: string;
                actor?: string;
                subjectId?: string;
                from?: string;
                to?: string;
                /** @description The most items of a page. */
                limit?: number;
                /** @description Continues a list: the `nextCursor` of the previous answer. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List what was done that belongs to no app, newest first: sessions begun, refused and ended, sign-in links made */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a09",
                     *           "actor": "Dana",
                     *           "action": "session.begun",
                     *           "subject": {
                     *             "id": "671a2b3c4d5e6f7081920a08",
                     *             "by": "link",
                     *             "browser": "Firefox 153"
                     *           },
                     *           "requestId": "671a2b3c4d5e6f7081920a10",
                     *           "createdAt": "2026-01-12T09:00:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["AuditList"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                action?: string;
                actor?: string;
                subjectId?: string;
                from?: string;
                to?: string;
                /** @description The most items of a page. */
                limit?: number;
                /** @description Continues a list: the `nextCursor` of the previous answer. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List who changed what and when, newest first; it can be filtered by action or its beginning, actor, id and time */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a09",
                     *           "actor": "Ann Miller",
                     *           "action": "key.created",
                     *           "subject": {
                     *             "keyId": "671a2b3c4d5e6f7081920a07",
                     *             "kind": "secret",
                     *             "name": "backend",
                     *             "scopes": [
                     *               "notifications:send",
                     *               "campaigns:read"
                     *             ]
                     *           },
                     *           "requestId": "671a2b3c4d5e6f7081920a10",
                     *           "createdAt": "2026-01-12T09:00:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["AuditList"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSegmentsOfApp: {
        parameters: {
            query?: {
                /** @description The most items of a page. */
                limit?: number;
                /** @description Continues a list: the `nextCursor` of the previous answer. */
                cursor?: string;
                /** @description Only items whose name contains this text, in upper or lower case. */
                q?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List saved segments, newest first */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a03",
                     *           "name": "Active customers",
                     *           "description": "Paying, seen within two weeks",
                     *           "definition": {
                     *             "and": [
                     *               {
                     *                 "field": "tags.plan",
                     *                 "op": "in",
                     *                 "value": [
                     *                   "gold",
                     *                   "silver"
                     *                 ]
                     *               },
                     *               {
                     *                 "field": "lastActiveAt",
                     *                 "op": "gt",
                     *                 "value": "-14d"
                     *               }
                     *             ]
                     *           },
                     *           "lastCount": 1280,
                     *           "lastCountedAt": "2026-01-31T08:10:00.000Z",
                     *           "createdAt": "2026-01-12T09:00:00.000Z",
                     *           "updatedAt": "2026-01-12T09:00:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["SegmentsOfApp"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createSegmentOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveSegment"];
            };
        };
        responses: {
            /** @description Save a segment */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a03",
                     *       "name": "Active customers",
                     *       "description": "Paying, seen within two weeks",
                     *       "definition": {
                     *         "and": [
                     *           {
                     *             "field": "tags.plan",
                     *             "op": "in",
                     *             "value": [
                     *               "gold",
                     *               "silver"
                     *             ]
                     *           },
                     *           {
                     *             "field": "lastActiveAt",
                     *             "op": "gt",
                     *             "value": "-14d"
                     *           }
                     *         ]
                     *       },
                     *       "lastCount": null,
                     *       "lastCountedAt": null,
                     *       "createdAt": "2026-01-12T09:00:00.000Z",
                     *       "updatedAt": "2026-01-12T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SavedSegment"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-duplicate_name-limit_reached"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    previewSegmentOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PreviewSegmentOfAppBody"];
            };
        };
        responses: {
            /** @description Count the devices that a segment would reach */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1280,
                     *       "byPlatform": {
                     *         "ios": 520,
                     *         "android": 610,
                     *         "web": 150
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SegmentCount"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body-invalid_segment"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readSegmentOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a03 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a saved segment */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a03",
                     *       "name": "Active customers",
                     *       "description": "Paying, seen within two weeks",
                     *       "definition": {
                     *         "and": [
                     *           {
                     *             "field": "tags.plan",
                     *             "op": "in",
                     *             "value": [
                     *               "gold",
                     *               "silver"
                     *             ]
                     *           },
                     *           {
                     *             "field": "lastActiveAt",
                     *             "op": "gt",
                     *             "value": "-14d"
                     *           }
                     *         ]
                     *       },
                     *       "lastCount": 1280,
                     *       "lastCountedAt": "2026-01-31T08:10:00.000Z",
                     *       "createdAt": "2026-01-12T09:00:00.000Z",
                     *       "updatedAt": "2026-01-12T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SavedSegment"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    replaceSegmentOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a03 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveSegment"];
            };
        };
        responses: {
            /** @description Replace a saved segment */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a03",
                     *       "name": "Active customers",
                     *       "description": "Paying, seen within two weeks",
                     *       "definition": {
                     *         "and": [
                     *           {
                     *             "field": "tags.plan",
                     *             "op": "in",
                     *             "value": [
                     *               "gold",
                     *               "silver"
                     *             ]
                     *           },
                     *           {
                     *             "field": "lastActiveAt",
                     *             "op": "gt",
                     *             "value": "-14d"
                     *           }
                     *         ]
                     *       },
                     *       "lastCount": null,
                     *       "lastCountedAt": null,
                     *       "createdAt": "2026-01-12T09:00:00.000Z",
                     *       "updatedAt": "2026-01-12T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SavedSegment"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-duplicate_name"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteSegmentOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a03 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    countSegmentOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a03 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Count the devices of a saved segment and keep the count */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1280,
                     *       "byPlatform": {
                     *         "ios": 520,
                     *         "android": 610,
                     *         "web": 150
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SegmentCount"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body-invalid_segment"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTemplatesOfApp: {
        parameters: {
            query?: {
                /** @description The most items of a page. */
                limit?: number;
                /** @description Continues a list: the `nextCursor` of the previous answer. */
                cursor?: string;
                /** @description Only items whose name contains this text, in upper or lower case. */
                q?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List templates, newest first */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a04",
                     *           "name": "Order shipped",
                     *           "content": {
                     *             "_default": "en",
                     *             "en": {
                     *               "title": "Your order is on its way",
                     *               "body": "Hello {{ tags.name | default: \"there\" }}, it arrives today.",
                     *               "url": "https://shop.example/orders/17"
                     *             },
                     *             "de": {
                     *               "title": "Ihre Bestellung ist unterwegs",
                     *               "body": "Sie kommt heute an."
                     *             }
                     *           },
                     *           "data": {
                     *             "kind": "order"
                     *           },
                     *           "ttl": 86400,
                     *           "presentation": {
                     *             "sound": "default"
                     *           },
                     *           "description": null,
                     *           "overrides": null,
                     *           "category": null,
                     *           "sendRate": null,
                     *           "collapseId": null,
                     *           "priority": null,
                     *           "silent": null,
                     *           "useCount": 3,
                     *           "createdAt": "2026-01-12T09:00:00.000Z",
                     *           "updatedAt": "2026-01-12T09:00:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["TemplatesOfApp"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createTemplateOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveTemplate"];
            };
        };
        responses: {
            /** @description Make a template */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a04",
                     *       "name": "Order shipped",
                     *       "content": {
                     *         "_default": "en",
                     *         "en": {
                     *           "title": "Your order is on its way",
                     *           "body": "Hello {{ tags.name | default: \"there\" }}, it arrives today.",
                     *           "url": "https://shop.example/orders/17"
                     *         },
                     *         "de": {
                     *           "title": "Ihre Bestellung ist unterwegs",
                     *           "body": "Sie kommt heute an."
                     *         }
                     *       },
                     *       "data": {
                     *         "kind": "order"
                     *       },
                     *       "ttl": 86400,
                     *       "presentation": {
                     *         "sound": "default"
                     *       },
                     *       "description": null,
                     *       "overrides": null,
                     *       "category": null,
                     *       "sendRate": null,
                     *       "collapseId": null,
                     *       "priority": null,
                     *       "silent": null,
                     *       "useCount": 0,
                     *       "createdAt": "2026-01-12T09:00:00.000Z",
                     *       "updatedAt": "2026-01-12T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Template"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-duplicate_name-limit_reached"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readTemplateOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a04 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a template */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a04",
                     *       "name": "Order shipped",
                     *       "content": {
                     *         "_default": "en",
                     *         "en": {
                     *           "title": "Your order is on its way",
                     *           "body": "Hello {{ tags.name | default: \"there\" }}, it arrives today.",
                     *           "url": "https://shop.example/orders/17"
                     *         },
                     *         "de": {
                     *           "title": "Ihre Bestellung ist unterwegs",
                     *           "body": "Sie kommt heute an."
                     *         }
                     *       },
                     *       "data": {
                     *         "kind": "order"
                     *       },
                     *       "ttl": 86400,
                     *       "presentation": {
                     *         "sound": "default"
                     *       },
                     *       "description": null,
                     *       "overrides": null,
                     *       "category": null,
                     *       "sendRate": null,
                     *       "collapseId": null,
                     *       "priority": null,
                     *       "silent": null,
                     *       "useCount": 3,
                     *       "createdAt": "2026-01-12T09:00:00.000Z",
                     *       "updatedAt": "2026-01-12T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Template"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    replaceTemplateOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a04 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveTemplate"];
            };
        };
        responses: {
            /** @description Replace a template */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a04",
                     *       "name": "Order shipped",
                     *       "content": {
                     *         "_default": "en",
                     *         "en": {
                     *           "title": "Your order is on its way",
                     *           "body": "Hello {{ tags.name | default: \"there\" }}, it arrives today.",
                     *           "url": "https://shop.example/orders/17"
                     *         },
                     *         "de": {
                     *           "title": "Ihre Bestellung ist unterwegs",
                     *           "body": "Sie kommt heute an."
                     *         }
                     *       },
                     *       "data": {
                     *         "kind": "order"
                     *       },
                     *       "ttl": 86400,
                     *       "presentation": {
                     *         "sound": "default"
                     *       },
                     *       "description": null,
                     *       "overrides": null,
                     *       "category": null,
                     *       "sendRate": null,
                     *       "collapseId": null,
                     *       "priority": null,
                     *       "silent": null,
                     *       "useCount": 3,
                     *       "createdAt": "2026-01-12T09:00:00.000Z",
                     *       "updatedAt": "2026-01-12T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Template"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-duplicate_name"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteTemplateOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a04 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCategories: {
        parameters: {
            query?: {
                /** @description The most items of a page. */
                limit?: number;
                /** @description Continues a list: the `nextCursor` of the previous answer. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List categories, in the order in which they were made */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "offers",
                     *           "name": "Offers",
                     *           "description": "Sales and new things",
                     *           "default": "in",
                     *           "locked": false,
                     *           "presentation": null,
                     *           "createdAt": "2026-01-12T09:00:00.000Z",
                     *           "updatedAt": "2026-01-12T09:00:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["CategoryList"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createCategory: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateCategory"];
            };
        };
        responses: {
            /** @description Make a category of notifications, which people may join or leave */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "offers",
                     *       "name": "Offers",
                     *       "description": "Sales and new things",
                     *       "default": "in",
                     *       "locked": false,
                     *       "presentation": null,
                     *       "createdAt": "2026-01-12T09:00:00.000Z",
                     *       "updatedAt": "2026-01-12T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Category"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-duplicate_name-limit_reached"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    replaceCategory: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example offers */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveCategory"];
            };
        };
        responses: {
            /** @description Replace a category */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "offers",
                     *       "name": "Offers",
                     *       "description": "Sales and new things",
                     *       "default": "out",
                     *       "locked": false,
                     *       "presentation": null,
                     *       "createdAt": "2026-01-12T09:00:00.000Z",
                     *       "updatedAt": "2026-01-12T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Category"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteCategory: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example offers */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-invalid_state"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCampaignsOfApp: {
        parameters: {
            query?: {
                /** @description The most items of a page. */
                limit?: number;
                /** @description Continues a list: the `nextCursor` of the previous answer. */
                cursor?: string;
                /** @description Only items whose name contains this text, in upper or lower case. */
                q?: string;
                status?: "draft" | "scheduled" | "sending" | "active" | "sent" | "cancelled" | "failed" | "paused";
                transactional?: "true" | "false";
                test?: "true" | "false";
                /** @description Only campaigns that this operator made. */
                author?: string;
                /** @description Only campaigns with this kind of audience. */
                audience?: "everyone" | "segment" | "people" | "remainder" | "reached" | "test";
                /** @description Only campaigns that have queued a push for this platform. */
                platform?: "ios" | "android" | "web";
                /** @description Only campaigns made at this moment or later. */
                from?: string;
                /** @description Only campaigns made before this moment. */
                to?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List campaigns with their counters, newest first */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a05",
                     *           "name": "Weekend sale",
                     *           "status": "sent",
                     *           "transactional": false,
                     *           "content": {
                     *             "_default": "en",
                     *             "en": {
                     *               "title": "Your order is on its way",
                     *               "body": "Hello {{ tags.name | default: \"there\" }}, it arrives today.",
                     *               "url": "https://shop.example/orders/17"
                     *             },
                     *             "de": {
                     *               "title": "Ihre Bestellung ist unterwegs",
                     *               "body": "Sie kommt heute an."
                     *             }
                     *           },
                     *           "templateId": null,
                     *           "segment": {
                     *             "and": [
                     *               {
                     *                 "field": "tags.plan",
                     *                 "op": "in",
                     *                 "value": [
                     *                   "gold",
                     *                   "silver"
                     *                 ]
                     *               },
                     *               {
                     *                 "field": "lastActiveAt",
                     *                 "op": "gt",
                     *                 "value": "-14d"
                     *               }
                     *             ]
                     *           },
                     *           "segmentId": null,
                     *           "audience": {
                     *             "kind": "segment",
                     *             "segmentId": null,
                     *             "segment": {
                     *               "and": [
                     *                 {
                     *                   "field": "tags.plan",
                     *                   "op": "in",
                     *                   "value": [
                     *                     "gold",
                     *                     "silver"
                     *                   ]
                     *                 },
                     *                 {
                     *                   "field": "lastActiveAt",
                     *                   "op": "gt",
                     *                   "value": "-14d"
                     *                 }
                     *               ]
                     *             }
                     *           },
                     *           "schedule": {
                     *             "type": "at",
                     *             "at": "2026-02-06T15:00:00.000Z"
                     *           },
                     *           "experiment": null,
                     *           "winner": null,
                     *           "silent": false,
                     *           "data": {},
                     *           "ttl": 86400,
                     *           "collapseId": null,
                     *           "priority": "high",
                     *           "presentation": null,
                     *           "overrides": null,
                     *           "category": null,
                     *           "inbox": false,
                     *           "sendRate": null,
                     *           "bypass": {},
                     *           "recurringOf": null,
                     *           "remainderOf": null,
                     *           "recallOf": null,
                     *           "author": "Anna",
                     *           "failure": null,
                     *           "cancelling": false,
                     *           "nextAt": null,
                     *           "missedCount": 0,
                     *           "createdAt": "2026-01-13T18:30:00.000Z",
                     *           "startedAt": "2026-02-06T15:00:00.000Z",
                     *           "settledAt": "2026-02-06T15:00:09.000Z",
                     *           "test": false,
                     *           "approval": null,
                     *           "stats": {
                     *             "queued": 1280,
                     *             "sent": 1278,
                     *             "failed": 2,
                     *             "skipped": 0,
                     *             "delivered": 1100,
                     *             "opened": 330,
                     *             "clicked": 110,
                     *             "dismissed": 40
                     *           }
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["CampaignList"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createCampaignOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The same request with the same key gets the first answer again, with Idempotent-Replayed: true, as long as the key is kept: 24 hours unless the operator sets another time.
                 * @example order-17-shipped
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateCampaignOfAppBody"];
            };
        };
        responses: {
            /** @description Make a draft of a campaign */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a05",
                     *       "status": "draft"
                     *     }
                     */
                    "application/json": components["schemas"]["Drafted"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-limit_reached-idempotency_in_progress"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body-invalid_segment-idempotency_key_reused"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readCampaignOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a campaign with its counters and rates */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a05",
                     *       "name": "Weekend sale",
                     *       "status": "sent",
                     *       "transactional": false,
                     *       "content": {
                     *         "_default": "en",
                     *         "en": {
                     *           "title": "Your order is on its way",
                     *           "body": "Hello {{ tags.name | default: \"there\" }}, it arrives today.",
                     *           "url": "https://shop.example/orders/17"
                     *         },
                     *         "de": {
                     *           "title": "Ihre Bestellung ist unterwegs",
                     *           "body": "Sie kommt heute an."
                     *         }
                     *       },
                     *       "templateId": null,
                     *       "segment": {
                     *         "and": [
                     *           {
                     *             "field": "tags.plan",
                     *             "op": "in",
                     *             "value": [
                     *               "gold",
                     *               "silver"
                     *             ]
                     *           },
                     *           {
                     *             "field": "lastActiveAt",
                     *             "op": "gt",
                     *             "value": "-14d"
                     *           }
                     *         ]
                     *       },
                     *       "segmentId": null,
                     *       "audience": {
                     *         "kind": "segment",
                     *         "segmentId": null,
                     *         "segment": {
                     *           "and": [
                     *             {
                     *               "field": "tags.plan",
                     *               "op": "in",
                     *               "value": [
                     *                 "gold",
                     *                 "silver"
                     *               ]
                     *             },
                     *             {
                     *               "field": "lastActiveAt",
                     *               "op": "gt",
                     *               "value": "-14d"
                     *             }
                     *           ]
                     *         }
                     *       },
                     *       "schedule": {
                     *         "type": "at",
                     *         "at": "2026-02-06T15:00:00.000Z"
                     *       },
                     *       "experiment": null,
                     *       "winner": null,
                     *       "silent": false,
                     *       "data": {},
                     *       "ttl": 86400,
                     *       "collapseId": null,
                     *       "priority": "high",
                     *       "presentation": null,
                     *       "overrides": null,
                     *       "category": null,
                     *       "inbox": false,
                     *       "sendRate": null,
                     *       "bypass": {},
                     *       "recurringOf": null,
                     *       "remainderOf": null,
                     *       "recallOf": null,
                     *       "author": "Anna",
                     *       "failure": null,
                     *       "cancelling": false,
                     *       "nextAt": null,
                     *       "missedCount": 0,
                     *       "createdAt": "2026-01-13T18:30:00.000Z",
                     *       "startedAt": "2026-02-06T15:00:00.000Z",
                     *       "settledAt": "2026-02-06T15:00:09.000Z",
                     *       "test": false,
                     *       "approval": null,
                     *       "stats": {
                     *         "queued": 1280,
                     *         "sent": 1278,
                     *         "failed": 2,
                     *         "skipped": 0,
                     *         "delivered": 1100,
                     *         "opened": 330,
                     *         "clicked": 110,
                     *         "dismissed": 40
                     *       },
                     *       "rates": {
                     *         "delivery": 0.8607,
                     *         "open": 0.3,
                     *         "click": 0.1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CampaignWithRates"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    replaceCampaignOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplaceCampaignOfAppBody"];
            };
        };
        responses: {
            /** @description Replace a draft */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a05",
                     *       "name": "Weekend sale",
                     *       "status": "draft",
                     *       "transactional": false,
                     *       "content": {
                     *         "_default": "en",
                     *         "en": {
                     *           "title": "Your order is on its way",
                     *           "body": "Hello {{ tags.name | default: \"there\" }}, it arrives today.",
                     *           "url": "https://shop.example/orders/17"
                     *         },
                     *         "de": {
                     *           "title": "Ihre Bestellung ist unterwegs",
                     *           "body": "Sie kommt heute an."
                     *         }
                     *       },
                     *       "templateId": null,
                     *       "segment": {
                     *         "and": [
                     *           {
                     *             "field": "tags.plan",
                     *             "op": "in",
                     *             "value": [
                     *               "gold",
                     *               "silver"
                     *             ]
                     *           },
                     *           {
                     *             "field": "lastActiveAt",
                     *             "op": "gt",
                     *             "value": "-14d"
                     *           }
                     *         ]
                     *       },
                     *       "segmentId": null,
                     *       "audience": {
                     *         "kind": "segment",
                     *         "segmentId": null,
                     *         "segment": {
                     *           "and": [
                     *             {
                     *               "field": "tags.plan",
                     *               "op": "in",
                     *               "value": [
                     *                 "gold",
                     *                 "silver"
                     *               ]
                     *             },
                     *             {
                     *               "field": "lastActiveAt",
                     *               "op": "gt",
                     *               "value": "-14d"
                     *             }
                     *           ]
                     *         }
                     *       },
                     *       "schedule": {
                     *         "type": "at",
                     *         "at": "2026-02-06T15:00:00.000Z"
                     *       },
                     *       "experiment": null,
                     *       "winner": null,
                     *       "silent": false,
                     *       "data": {},
                     *       "ttl": 86400,
                     *       "collapseId": null,
                     *       "priority": "high",
                     *       "presentation": null,
                     *       "overrides": null,
                     *       "category": null,
                     *       "inbox": false,
                     *       "sendRate": null,
                     *       "bypass": {},
                     *       "recurringOf": null,
                     *       "remainderOf": null,
                     *       "recallOf": null,
                     *       "author": "Anna",
                     *       "failure": null,
                     *       "cancelling": false,
                     *       "nextAt": null,
                     *       "missedCount": 0,
                     *       "createdAt": "2026-01-13T18:30:00.000Z",
                     *       "startedAt": null,
                     *       "settledAt": null,
                     *       "test": false
                     *     }
                     */
                    "application/json": components["schemas"]["Campaign"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteCampaignOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    sendCampaignOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SendCampaignOfAppBody"];
            };
        };
        responses: {
            /** @description Send a draft, or start its schedule */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "scheduled",
                     *       "nextAt": "2026-02-03T09:30:10.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SentOrDelayed"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-invalid_state"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body-invalid_segment"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    pickWinnerOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PickWinnerOfAppBody"];
            };
        };
        responses: {
            /** @description Send the winning variant to the rest of the audience */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a05",
                     *       "status": "scheduled",
                     *       "nextAt": "2026-02-03T09:30:10.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WinnerPicked"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-not_an_experiment-still_sending-invalid_state-no_remainder-winner_already_sent"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body-unknown_variant"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    unsendCampaignOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Take a scheduled campaign back before it goes out: it is a draft again */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a05",
                     *       "status": "draft"
                     *     }
                     */
                    "application/json": components["schemas"]["Unsent"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-invalid_state"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    cancelCampaignOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancel a campaign, also one under way: 202 until its last push has an outcome */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "cancelled"
                     *     }
                     */
                    "application/json": components["schemas"]["Cancelled"];
                };
            };
            /** @description Cancel a campaign, also one under way: 202 until its last push has an outcome */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cancelling"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    pauseCampaignOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Pause a send under way, or a recurrence: no run begins */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "paused"
                     *     }
                     */
                    "application/json": components["schemas"]["Paused"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    resumeCampaignOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Resume a paused send, or a recurrence from its next occurrence on */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "sending"
                     *     }
                     */
                    "application/json": components["schemas"]["Resumed"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeRateOfCampaign: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeRateOfCampaignBody"];
            };
        };
        responses: {
            /** @description Change how many pushes a minute a campaign hands over */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "perMinute": 6000,
                     *       "etaSeconds": 95
                     *     }
                     */
                    "application/json": components["schemas"]["RateChanged"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-invalid_state"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    duplicateCampaignOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Make a draft that is a copy of a campaign */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a05",
                     *       "name": "Weekend sale",
                     *       "status": "draft",
                     *       "transactional": false,
                     *       "content": {
                     *         "_default": "en",
                     *         "en": {
                     *           "title": "Your order is on its way",
                     *           "body": "Hello {{ tags.name | default: \"there\" }}, it arrives today.",
                     *           "url": "https://shop.example/orders/17"
                     *         },
                     *         "de": {
                     *           "title": "Ihre Bestellung ist unterwegs",
                     *           "body": "Sie kommt heute an."
                     *         }
                     *       },
                     *       "templateId": null,
                     *       "segment": {
                     *         "and": [
                     *           {
                     *             "field": "tags.plan",
                     *             "op": "in",
                     *             "value": [
                     *               "gold",
                     *               "silver"
                     *             ]
                     *           },
                     *           {
                     *             "field": "lastActiveAt",
                     *             "op": "gt",
                     *             "value": "-14d"
                     *           }
                     *         ]
                     *       },
                     *       "segmentId": null,
                     *       "audience": {
                     *         "kind": "segment",
                     *         "segmentId": null,
                     *         "segment": {
                     *           "and": [
                     *             {
                     *               "field": "tags.plan",
                     *               "op": "in",
                     *               "value": [
                     *                 "gold",
                     *                 "silver"
                     *               ]
                     *             },
                     *             {
                     *               "field": "lastActiveAt",
                     *               "op": "gt",
                     *               "value": "-14d"
                     *             }
                     *           ]
                     *         }
                     *       },
                     *       "schedule": {
                     *         "type": "at",
                     *         "at": "2026-02-06T15:00:00.000Z"
                     *       },
                     *       "experiment": null,
                     *       "winner": null,
                     *       "silent": false,
                     *       "data": {},
                     *       "ttl": 86400,
                     *       "collapseId": null,
                     *       "priority": "high",
                     *       "presentation": null,
                     *       "overrides": null,
                     *       "category": null,
                     *       "inbox": false,
                     *       "sendRate": null,
                     *       "bypass": {},
                     *       "recurringOf": null,
                     *       "remainderOf": null,
                     *       "recallOf": null,
                     *       "author": "Anna",
                     *       "failure": null,
                     *       "cancelling": false,
                     *       "nextAt": null,
                     *       "missedCount": 0,
                     *       "createdAt": "2026-01-13T18:30:00.000Z",
                     *       "startedAt": null,
                     *       "settledAt": null,
                     *       "test": false
                     *     }
                     */
                    "application/json": components["schemas"]["Campaign"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-invalid_state-limit_reached"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    verifyCampaignOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Count the ledger of a campaign again and compare it with its counters */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "campaignId": "671a2b3c4d5e6f7081920a05",
                     *       "agrees": true,
                     *       "difference": 0,
                     *       "counters": {
                     *         "queued": 1280,
                     *         "sent": 1278,
                     *         "failed": 2,
                     *         "skipped": 0,
                     *         "delivered": 1100,
                     *         "opened": 330,
                     *         "clicked": 110,
                     *         "dismissed": 40
                     *       },
                     *       "ledger": {
                     *         "queued": 1280,
                     *         "sent": 1278,
                     *         "failed": 2,
                     *         "skipped": 0,
                     *         "delivered": 1100,
                     *         "opened": 330,
                     *         "clicked": 110,
                     *         "dismissed": 40
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Verification"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listWavesOfCampaign: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the waves of a send in their order: instant, zones and what each has queued */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "no": 1,
                     *           "at": "2026-02-01T00:00:00.000Z",
                     *           "zones": [
                     *             "Asia/Tokyo"
                     *           ],
                     *           "state": "done",
                     *           "expired": false,
                     *           "queued": 412,
                     *           "byPlatform": {
                     *             "ios": 200,
                     *             "android": 180,
                     *             "web": 32
                     *           }
                     *         },
                     *         {
                     *           "no": 2,
                     *           "at": "2026-02-01T08:00:00.000Z",
                     *           "zones": [
                     *             "Europe/Berlin",
                     *             null
                     *           ],
                     *           "state": "waiting",
                     *           "expired": false,
                     *           "queued": 0,
                     *           "byPlatform": {
                     *             "ios": 0,
                     *             "android": 0,
                     *             "web": 0
                     *           }
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ListWavesOfCampaignAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listRunsOfCampaign: {
        parameters: {
            query?: {
                /** @description The most items of a page. */
                limit?: number;
                /** @description Continues a list: the `nextCursor` of the previous answer. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the runs of a recurrence with their counters, newest first */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a08",
                     *           "localDate": "2026-02-01",
                     *           "status": "sent",
                     *           "cancelling": false,
                     *           "failure": null,
                     *           "createdAt": "2026-02-01T08:00:00.000Z",
                     *           "startedAt": "2026-02-01T08:00:00.210Z",
                     *           "settledAt": "2026-02-01T08:00:41.002Z",
                     *           "stats": {
                     *             "queued": 1280,
                     *             "sent": 1278,
                     *             "failed": 2,
                     *             "skipped": 0,
                     *             "delivered": 1100,
                     *             "opened": 330,
                     *             "clicked": 110,
                     *             "dismissed": 40
                     *           }
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ListRunsOfCampaignAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listOccurrencesOfCampaign: {
        parameters: {
            query?: {
                /** @description How many occurrences to answer at most. */
                limit?: number;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List when a recurrence runs next */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "at": "2026-02-01T08:00:00.000Z",
                     *           "localDate": "2026-02-01"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["OccurrenceList"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    followCampaignOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Follow how far a send has come, as server-sent events */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    recallCampaignOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The same request with the same key gets the first answer again, with Idempotent-Replayed: true, as long as the key is kept: 24 hours unless the operator sets another time.
                 * @example order-17-shipped
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecallCampaignOfAppBody"];
            };
        };
        responses: {
            /** @description Recall a campaign that went out by mistake */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a0b",
                     *       "status": "scheduled"
                     *     }
                     */
                    "application/json": components["schemas"]["Recalled"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-invalid_state-idempotency_in_progress"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body-idempotency_key_reused"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readExperiment: {
        parameters: {
            query?: {
                metric?: "open" | "click" | "conversion";
                /** @description The name of the conversion, with that metric. */
                conversion?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read what an experiment shows, with a test that you may look at as often as you like */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "metric": "open",
                     *       "asOf": "2026-01-13T18:30:00.000Z",
                     *       "final": false,
                     *       "sampleRatio": {
                     *         "p": 0.7374736590008895,
                     *         "ok": true
                     *       },
                     *       "sentRatio": {
                     *         "p": 0.7362018573793726,
                     *         "ok": true
                     *       },
                     *       "variants": [
                     *         {
                     *           "id": "a",
                     *           "assigned": 4020,
                     *           "sent": 3980,
                     *           "events": 240,
                     *           "rate": 0.06030150753768844,
                     *           "low": 0.05332145308340707,
                     *           "high": 0.0681295292967808
                     *         },
                     *         {
                     *           "id": "b",
                     *           "assigned": 3990,
                     *           "sent": 3950,
                     *           "events": 320,
                     *           "rate": 0.0810126582278481,
                     *           "low": 0.07290509080492202,
                     *           "high": 0.08993438202834929
                     *         }
                     *       ],
                     *       "comparisons": [
                     *         {
                     *           "a": "a",
                     *           "b": "b",
                     *           "difference": 0.020711150690159663,
                     *           "low": 0.009441253877051047,
                     *           "high": 0.032038918155868096,
                     *           "upliftPercent": 34.345991561181435
                     *         }
                     *       ],
                     *       "p": 0.015266850148206376,
                     *       "decided": true,
                     *       "decidedBy": null,
                     *       "needed": {
                     *         "usersPerVariant": 21816
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ReadExperimentAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-not_an_experiment-invalid_state"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readCampaignUplift: {
        parameters: {
            query: {
                conversion: string;
                /** @description Conversions within this time after the campaign began; a week if left out. */
                windowHours?: number;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read what a campaign has caused: who was meant to get it against who was held out */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "treated": {
                     *         "users": 9000,
                     *         "converted": 450,
                     *         "rate": 0.05
                     *       },
                     *       "control": {
                     *         "users": 1000,
                     *         "converted": 40,
                     *         "rate": 0.04
                     *       },
                     *       "difference": 0.010000000000000002,
                     *       "low": -0.004658765461143662,
                     *       "high": 0.02149300964799534,
                     *       "upliftPercent": 25,
                     *       "final": false
                     *     }
                     */
                    "application/json": components["schemas"]["ReadCampaignUpliftAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-invalid_state"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readHoldoutUplift: {
        parameters: {
            query: {
                conversion: string;
                /** @description Since the hold-out began if left out. */
                from?: string;
                /** @description Until now if left out. */
                to?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read what all campaigns of a time have caused: who was meant to get them against who was held out */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "treated": {
                     *         "users": 9000,
                     *         "converted": 450,
                     *         "rate": 0.05
                     *       },
                     *       "control": {
                     *         "users": 1000,
                     *         "converted": 40,
                     *         "rate": 0.04
                     *       },
                     *       "difference": 0.010000000000000002,
                     *       "low": -0.004658765461143662,
                     *       "high": 0.02149300964799534,
                     *       "upliftPercent": 25,
                     *       "final": false
                     *     }
                     */
                    "application/json": components["schemas"]["ReadHoldoutUpliftAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-invalid_state"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    redrawHoldout: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Hold out other users from now on */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "since": "2026-01-13T18:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["RedrawHoldoutAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-invalid_state"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listDrafts: {
        parameters: {
            query?: {
                /** @description The most items of a page. */
                limit?: number;
                /** @description Continues a list: the `nextCursor` of the previous answer. */
                cursor?: string;
                /** @description Only the draft with this id. */
                id?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List what is written and not yet a campaign, newest first, without the texts */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a07",
                     *           "name": "Weekend sale",
                     *           "revision": 3,
                     *           "savedBy": "Dana",
                     *           "createdAt": "2026-01-12T09:00:00.000Z",
                     *           "updatedAt": "2026-01-13T18:30:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ListDraftsAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readDraft: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a00 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a draft that is not yet a campaign */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a07",
                     *       "name": "Weekend sale",
                     *       "revision": 3,
                     *       "savedBy": "Dana",
                     *       "createdAt": "2026-01-12T09:00:00.000Z",
                     *       "updatedAt": "2026-01-13T18:30:00.000Z",
                     *       "draft": {
                     *         "name": "Weekend sale",
                     *         "title": "Everything must",
                     *         "campaignId": "671a2b3c4d5e6f7081920a05"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ReadDraftAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    saveDraft: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a00 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveDraftBody"];
            };
        };
        responses: {
            /** @description Save what is written, over the revision that was seen */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a07",
                     *       "name": "Weekend sale",
                     *       "revision": 1,
                     *       "savedBy": "Dana",
                     *       "createdAt": "2026-01-12T09:00:00.000Z",
                     *       "updatedAt": "2026-01-13T18:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SaveDraftAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-invalid_state-limit_reached"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteDraft: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a00 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPictures: {
        parameters: {
            query?: {
                /** @description The most items of a page. */
                limit?: number;
                /** @description Continues a list: the `nextCursor` of the previous answer. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the pictures of an app, newest first */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a07",
                     *           "url": "https://push.shop.example/pictures/q3J1m2Wm0c9Z2bX7v5K8nT4yR6uE1oP0sD3fG7hJ9kL.jpg",
                     *           "mediaType": "image/jpeg",
                     *           "width": 1024,
                     *           "height": 512,
                     *           "size": 81234,
                     *           "addedBy": "Dana",
                     *           "createdAt": "2026-01-12T09:00:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ListPicturesAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    addPicture: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "image/jpeg": string;
                "image/png": string;
                "image/webp": string;
                "image/gif": string;
            };
        };
        responses: {
            /** @description Upload a picture for messages */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a07",
                     *       "url": "https://push.shop.example/pictures/q3J1m2Wm0c9Z2bX7v5K8nT4yR6uE1oP0sD3fG7hJ9kL.jpg",
                     *       "mediaType": "image/jpeg",
                     *       "width": 1024,
                     *       "height": 512,
                     *       "size": 81234,
                     *       "addedBy": "Dana",
                     *       "createdAt": "2026-01-12T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AddPictureAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-limit_reached"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deletePicture: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a00 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    dryRunNotificationOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["DryRunNotificationOfAppBody"];
            };
        };
        responses: {
            /** @description Try a notification, a campaign or a stored campaign without sending it */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "audience": {
                     *         "devices": 1280,
                     *         "users": 1104,
                     *         "byPlatform": {
                     *           "ios": 520,
                     *           "android": 610,
                     *           "web": 150
                     *         },
                     *         "exact": true
                     *       },
                     *       "unreachable": {
                     *         "optedOut": 96,
                     *         "invalidated": 31
                     *       },
                     *       "skips": [
                     *         {
                     *           "reason": "frequency_cap",
                     *           "devices": 44,
                     *           "exact": true
                     *         }
                     *       ],
                     *       "waves": [
                     *         {
                     *           "at": "2026-01-31T08:10:00.000Z",
                     *           "devices": 1280
                     *         }
                     *       ],
                     *       "experiment": null,
                     *       "locales": [
                     *         {
                     *           "locale": "de",
                     *           "devices": 900,
                     *           "fallback": 0
                     *         },
                     *         {
                     *           "locale": "en",
                     *           "devices": 380,
                     *           "fallback": 20
                     *         }
                     *       ],
                     *       "bytes": [
                     *         {
                     *           "platform": "ios",
                     *           "locale": "de",
                     *           "variant": null,
                     *           "max": 421,
                     *           "limit": 4096,
                     *           "truncated": false
                     *         }
                     *       ],
                     *       "samples": [
                     *         {
                     *           "subscriptionId": "671a2b3c4d5e6f7081920a01",
                     *           "userId": "671a2b3c4d5e6f7081920a02",
                     *           "platform": "ios",
                     *           "variant": null,
                     *           "locale": "de",
                     *           "entry": {
                     *             "title": "Ihre Bestellung ist unterwegs",
                     *             "body": "Sie kommt heute an."
                     *           },
                     *           "payload": {
                     *             "aps": {
                     *               "alert": {
                     *                 "title": "Ihre Bestellung ist unterwegs",
                     *                 "body": "Sie kommt heute an."
                     *               },
                     *               "mutable-content": 1
                     *             },
                     *             "herald": {
                     *               "msgId": "NjcxYTJiM2M0ZDVlNmY3MDgxOTIwYTA2.q83vEjRWeJCrze8SNFZ4kA"
                     *             }
                     *           },
                     *           "bytes": 421,
                     *           "limit": 4096,
                     *           "skip": null,
                     *           "warnings": []
                     *         }
                     *       ],
                     *       "warnings": [
                     *         {
                     *           "code": "not_configured",
                     *           "path": "providers.webpush",
                     *           "message": "has no credentials: pushes to the web will fail",
                     *           "devices": 150
                     *         }
                     *       ],
                     *       "estimate": {
                     *         "seconds": 2,
                     *         "perSecond": 812.5,
                     *         "basis": "recent_sends"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DryRunNotificationOfAppAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    sendTest: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The same request with the same key gets the first answer again, with Idempotent-Replayed: true, as long as the key is kept: 24 hours unless the operator sets another time.
                 * @example order-17-shipped
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendTestBody"];
            };
        };
        responses: {
            /** @description Send a test to single devices and answer what became of it; 202 when that takes longer than 10 seconds */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a05",
                     *       "status": "sent",
                     *       "results": [
                     *         {
                     *           "subscriptionId": "671a2b3c4d5e6f7081920a01",
                     *           "platform": "ios",
                     *           "outcome": "sent",
                     *           "code": null,
                     *           "providerCode": "200",
                     *           "attempts": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SendTestAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-idempotency_in_progress"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body-idempotency_key_reused-unknown_variant"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTestDevices: {
        parameters: {
            query?: {
                /** @description The most items of a page. */
                limit?: number;
                /** @description Continues a list: the `nextCursor` of the previous answer. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the test devices, the one marked last first */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a01",
                     *           "userId": "671a2b3c4d5e6f7081920a02",
                     *           "externalId": "customer-4711",
                     *           "platform": "ios",
                     *           "token": "740f4707…",
                     *           "optedIn": true,
                     *           "invalidatedAt": null,
                     *           "appVersion": "4.2.0",
                     *           "osVersion": "19.1",
                     *           "deviceModel": "iPhone17,1",
                     *           "browser": null,
                     *           "createdAt": "2026-01-12T09:00:00.000Z",
                     *           "lastActiveAt": "2026-01-13T18:30:00.000Z",
                     *           "markedAt": "2026-01-13T18:30:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ListTestDevicesAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readOverview: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read an app at a glance: devices, the last days, what begins next and what needs attention */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "asOf": "2026-01-12T18:30:00.000Z",
                     *       "devicesAsOf": "2026-01-12T18:29:30.000Z",
                     *       "devices": {
                     *         "ios": {
                     *           "total": 700,
                     *           "reachable": 640,
                     *           "optedOut": 40,
                     *           "invalidated": 20,
                     *           "active1d": 150,
                     *           "active7d": 380,
                     *           "active30d": 610
                     *         },
                     *         "android": {
                     *           "total": 520,
                     *           "reachable": 500,
                     *           "optedOut": 12,
                     *           "invalidated": 8,
                     *           "active1d": 120,
                     *           "active7d": 300,
                     *           "active30d": 470
                     *         },
                     *         "web": {
                     *           "total": 140,
                     *           "reachable": 110,
                     *           "optedOut": 10,
                     *           "invalidated": 20,
                     *           "active1d": 9,
                     *           "active7d": 40,
                     *           "active30d": 90
                     *         }
                     *       },
                     *       "last24h": {
                     *         "queued": 1250,
                     *         "sent": 1190,
                     *         "failed": 18,
                     *         "skipped": 42,
                     *         "delivered": 1102,
                     *         "opened": 240,
                     *         "clicked": 61,
                     *         "dismissed": 130,
                     *         "converted": 0
                     *       },
                     *       "previous24h": {
                     *         "queued": 0,
                     *         "sent": 0,
                     *         "failed": 0,
                     *         "skipped": 0,
                     *         "delivered": 0,
                     *         "opened": 0,
                     *         "clicked": 0,
                     *         "dismissed": 0,
                     *         "converted": 0
                     *       },
                     *       "days": [
                     *         {
                     *           "at": "2026-01-12T00:00:00.000Z",
                     *           "queued": 1250,
                     *           "sent": 1190,
                     *           "failed": 18,
                     *           "skipped": 42,
                     *           "delivered": 1102,
                     *           "opened": 240,
                     *           "clicked": 61,
                     *           "dismissed": 130,
                     *           "converted": 0
                     *         }
                     *       ],
                     *       "campaigns": {
                     *         "draft": 2,
                     *         "scheduled": 1,
                     *         "sending": 0,
                     *         "active": 1,
                     *         "sent": 12,
                     *         "cancelled": 1,
                     *         "failed": 0,
                     *         "paused": 0
                     *       },
                     *       "nextSends": [
                     *         {
                     *           "campaignId": "671a2b3c4d5e6f7081920a05",
                     *           "name": "Sale",
                     *           "at": "2026-01-13T08:00:00.000Z",
                     *           "schedule": "at"
                     *         }
                     *       ],
                     *       "circuits": [],
                     *       "providers": [
                     *         {
                     *           "kind": "apns",
                     *           "platform": "ios",
                     *           "configured": true
                     *         },
                     *         {
                     *           "kind": "fcm",
                     *           "platform": "android",
                     *           "configured": true
                     *         },
                     *         {
                     *           "kind": "webpush",
                     *           "platform": "web",
                     *           "configured": false
                     *         }
                     *       ],
                     *       "attention": [
                     *         {
                     *           "code": "provider_missing",
                     *           "params": {
                     *             "platform": "web",
                     *             "provider": "webpush",
                     *             "reachable": 110
                     *           },
                     *           "href": "/v1/admin/apps/671a2b3c4d5e6f7081920a06/providers/webpush"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ReadOverviewAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readSeries: {
        parameters: {
            query?: {
                /** @description Without it: 24 hours ago for hours, 30 days ago for days. */
                from?: string;
                /** @description Without it: now. */
                to?: string;
                bucket?: "hour" | "day";
                /** @description `platform`: a point for each platform. `code`: counts of codes beside the points. */
                by?: "platform" | "code";
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read what was queued, what became of it and what devices reported, by UTC hour or day */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "points": [
                     *         {
                     *           "at": "2026-01-12T00:00:00.000Z",
                     *           "queued": 1250,
                     *           "sent": 1190,
                     *           "failed": 18,
                     *           "skipped": 42,
                     *           "delivered": 1102,
                     *           "opened": 240,
                     *           "clicked": 61,
                     *           "dismissed": 130,
                     *           "converted": 0
                     *         }
                     *       ],
                     *       "codes": [
                     *         {
                     *           "at": "2026-01-12T00:00:00.000Z",
                     *           "platform": "android",
                     *           "outcome": "failed",
                     *           "code": "token_dead",
                     *           "count": 18
                     *         },
                     *         {
                     *           "at": "2026-01-12T00:00:00.000Z",
                     *           "platform": "web",
                     *           "outcome": "skipped",
                     *           "code": "silent_web",
                     *           "count": 42
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ReadSeriesAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readDeviceSeries: {
        parameters: {
            query?: {
                /** @description Without it: 24 hours ago for hours, 30 days ago for days. */
                from?: string;
                /** @description Without it: now. */
                to?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read how many devices there were at the end of each UTC day, by platform */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "points": [
                     *         {
                     *           "at": "2026-01-12T00:00:00.000Z",
                     *           "platform": "ios",
                     *           "takenAt": "2026-01-13T00:00:04.000Z",
                     *           "new": 6,
                     *           "total": 700,
                     *           "reachable": 640,
                     *           "optedOut": 40,
                     *           "invalidated": 20,
                     *           "active1d": 150,
                     *           "active7d": 380,
                     *           "active30d": 610
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ReadDeviceSeriesAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readCurve: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read when devices reported of a campaign, by the time since its first push was queued */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "startedAt": "2026-01-12T09:00:00.000Z",
                     *       "kept": true,
                     *       "points": [
                     *         {
                     *           "afterSeconds": 0,
                     *           "delivered": 1080,
                     *           "opened": 150,
                     *           "clicked": 40,
                     *           "dismissed": 90,
                     *           "converted": 0
                     *         },
                     *         {
                     *           "afterSeconds": 60,
                     *           "delivered": 22,
                     *           "opened": 90,
                     *           "clicked": 21,
                     *           "dismissed": 40,
                     *           "converted": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ReadCurveAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readBreakdown: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the counters of a campaign by platform, code, variant and button */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "byPlatform": {
                     *         "ios": {
                     *           "queued": 640,
                     *           "open": 0,
                     *           "sent": 640,
                     *           "failed": 0,
                     *           "skipped": 0
                     *         },
                     *         "android": {
                     *           "queued": 500,
                     *           "open": 0,
                     *           "sent": 482,
                     *           "failed": 18,
                     *           "skipped": 0
                     *         },
                     *         "web": {
                     *           "queued": 110,
                     *           "open": 0,
                     *           "sent": 68,
                     *           "failed": 0,
                     *           "skipped": 42
                     *         }
                     *       },
                     *       "codes": [
                     *         {
                     *           "platform": "android",
                     *           "outcome": "failed",
                     *           "code": "token_dead",
                     *           "count": 18
                     *         },
                     *         {
                     *           "platform": "web",
                     *           "outcome": "skipped",
                     *           "code": "silent_web",
                     *           "count": 42
                     *         }
                     *       ],
                     *       "variants": {},
                     *       "actions": [
                     *         {
                     *           "action": "shop",
                     *           "clicked": 48
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ReadBreakdownAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportUsersOfApp: {
        parameters: {
            query?: {
                /** @description Continues an export that was cut off: the id of its last user. */
                after?: string;
                /** @description Only users with a reachable device in this saved segment. */
                segmentId?: string;
                /** @description `full`: tokens, endpoints and keys as they are. */
                addresses?: "masked" | "full";
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export all users by id, each with its devices in one line */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportUserOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a02 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export all that Herald has of one user: the user, devices, preferences, pushes with what was reported of them, conversions, webhook deliveries */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportPushesOfCampaign: {
        parameters: {
            query?: {
                /** @description Continues an export that was cut off: the id of its last push. */
                after?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export the pushes of a campaign with what became of them, in the order in which they were queued */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listUsersOfApp: {
        parameters: {
            query?: {
                /** @description The most items of a page. */
                limit?: number;
                /** @description Continues a list: the `nextCursor` of the previous answer. */
                cursor?: string;
                /** @description The id of a user or of a device, else the beginning of an external id, in its own letter case. */
                q?: string;
                /** @description Only users with a reachable device in this saved segment. */
                segmentId?: string;
                /** @description Only users with a reachable device who have this tag. */
                tag?: string;
                /** @description The value of the tag; without it any value. */
                tagValue?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List users with the number of their devices, newest first */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a02",
                     *           "externalId": "customer-4711",
                     *           "language": "de-AT",
                     *           "timezone": "Europe/Vienna",
                     *           "country": "AT",
                     *           "createdAt": "2025-11-03T17:20:11.000Z",
                     *           "lastActiveAt": "2026-01-31T08:04:30.000Z",
                     *           "devices": {
                     *             "ios": 1,
                     *             "android": 0,
                     *             "web": 0
                     *           },
                     *           "reachable": 1
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ListUsersOfAppAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body-invalid_segment"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    searchUsersOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SearchUsersOfAppBody"];
            };
        };
        responses: {
            /** @description Find the user of a device by its token or endpoint */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user": {
                     *         "id": "671a2b3c4d5e6f7081920a02",
                     *         "externalId": "customer-4711",
                     *         "tags": {
                     *           "plan": "gold",
                     *           "orders": 12,
                     *           "newsletter": true
                     *         },
                     *         "language": "de-AT",
                     *         "timezone": "Europe/Vienna",
                     *         "country": "AT",
                     *         "createdAt": "2025-11-03T17:20:11.000Z",
                     *         "lastActiveAt": "2026-01-31T08:04:30.000Z",
                     *         "subscriptions": [
                     *           {
                     *             "id": "671a2b3c4d5e6f7081920a01",
                     *             "platform": "ios",
                     *             "token": "740f4707…",
                     *             "optedIn": true,
                     *             "appVersion": "4.2.0",
                     *             "sdkVersion": "1.0.0",
                     *             "osVersion": "18.1",
                     *             "deviceModel": "iPhone16,2",
                     *             "browser": null,
                     *             "standalone": null,
                     *             "sessionCount": 17,
                     *             "lastSessionAt": "2026-01-31T08:00:00.000Z",
                     *             "createdAt": "2025-11-03T17:20:11.000Z",
                     *             "lastActiveAt": "2026-01-31T08:04:30.000Z",
                     *             "lastNotifiedAt": "2026-01-30T18:00:00.000Z",
                     *             "invalidatedAt": null,
                     *             "test": false
                     *           }
                     *         ],
                     *         "preferences": {}
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SearchUsersOfAppAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readUserOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a02 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a user with all devices, the newest pushes and the newest conversions */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a02",
                     *       "externalId": "customer-4711",
                     *       "tags": {
                     *         "plan": "gold",
                     *         "orders": 12,
                     *         "newsletter": true
                     *       },
                     *       "language": "de-AT",
                     *       "timezone": "Europe/Vienna",
                     *       "country": "AT",
                     *       "createdAt": "2025-11-03T17:20:11.000Z",
                     *       "lastActiveAt": "2026-01-31T08:04:30.000Z",
                     *       "subscriptions": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a01",
                     *           "platform": "ios",
                     *           "token": "740f4707…",
                     *           "optedIn": true,
                     *           "appVersion": "4.2.0",
                     *           "sdkVersion": "1.0.0",
                     *           "osVersion": "18.1",
                     *           "deviceModel": "iPhone16,2",
                     *           "browser": null,
                     *           "standalone": null,
                     *           "sessionCount": 17,
                     *           "lastSessionAt": "2026-01-31T08:00:00.000Z",
                     *           "createdAt": "2025-11-03T17:20:11.000Z",
                     *           "lastActiveAt": "2026-01-31T08:04:30.000Z",
                     *           "lastNotifiedAt": "2026-01-30T18:00:00.000Z",
                     *           "invalidatedAt": null,
                     *           "test": false
                     *         }
                     *       ],
                     *       "preferences": {},
                     *       "pushes": [
                     *         {
                     *           "campaignId": "671a2b3c4d5e6f7081920a05",
                     *           "subscriptionId": "671a2b3c4d5e6f7081920a01",
                     *           "userId": "671a2b3c4d5e6f7081920a02",
                     *           "platform": "ios",
                     *           "variant": null,
                     *           "outcome": "sent",
                     *           "code": null,
                     *           "providerCode": "200",
                     *           "attempts": 1,
                     *           "settledAt": "2026-01-13T18:30:00.000Z",
                     *           "engagements": [
                     *             "opened"
                     *           ]
                     *         }
                     *       ],
                     *       "conversions": [
                     *         {
                     *           "id": "order-90210",
                     *           "name": "order",
                     *           "at": "2026-01-13T18:30:00.000Z",
                     *           "value": "49.9",
                     *           "currency": "EUR",
                     *           "campaignId": "671a2b3c4d5e6f7081920a05",
                     *           "how": "direct"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ReadUserOfAppAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteUserOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a02 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeUserOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a02 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserChanges"];
            };
        };
        responses: {
            /** @description Change a user */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a02",
                     *       "externalId": "customer-4711",
                     *       "tags": {
                     *         "plan": "gold",
                     *         "orders": 12,
                     *         "newsletter": true
                     *       },
                     *       "language": "de-AT",
                     *       "timezone": "Europe/Vienna",
                     *       "country": "AT",
                     *       "createdAt": "2025-11-03T17:20:11.000Z",
                     *       "lastActiveAt": "2026-01-31T08:04:30.000Z",
                     *       "subscriptions": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a01",
                     *           "platform": "ios",
                     *           "token": "740f4707…",
                     *           "optedIn": true,
                     *           "appVersion": "4.2.0",
                     *           "sdkVersion": "1.0.0",
                     *           "osVersion": "18.1",
                     *           "deviceModel": "iPhone16,2",
                     *           "browser": null,
                     *           "standalone": null,
                     *           "sessionCount": 17,
                     *           "lastSessionAt": "2026-01-31T08:00:00.000Z",
                     *           "createdAt": "2025-11-03T17:20:11.000Z",
                     *           "lastActiveAt": "2026-01-31T08:04:30.000Z",
                     *           "lastNotifiedAt": "2026-01-30T18:00:00.000Z",
                     *           "invalidatedAt": null,
                     *           "test": false
                     *         }
                     *       ],
                     *       "preferences": {}
                     *     }
                     */
                    "application/json": components["schemas"]["ChangeUserOfAppAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changePreferencesOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a02 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePreferencesOfAppBody"];
            };
        };
        responses: {
            /** @description Let a user join or leave categories */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "categories": [
                     *         {
                     *           "id": "offers",
                     *           "name": "Offers",
                     *           "description": "Sales and new things",
                     *           "subscribed": false,
                     *           "locked": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ShownPreferences"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readInboxOfApp: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a02 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the inbox of a user as the user sees it */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a05",
                     *           "title": "Your order is on its way",
                     *           "body": "It arrives today.",
                     *           "url": "https://shop.example/orders/17",
                     *           "image": null,
                     *           "actions": [],
                     *           "data": {
                     *             "kind": "order"
                     *           },
                     *           "category": null,
                     *           "sentAt": "2026-01-31T08:00:00.000Z",
                     *           "readAt": null,
                     *           "opened": false
                     *         }
                     *       ],
                     *       "unread": 1,
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["Inbox"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readSubscriptionOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a01 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a device with its owner and the newest pushes */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a01",
                     *       "platform": "ios",
                     *       "token": "740f4707…",
                     *       "optedIn": true,
                     *       "appVersion": "4.2.0",
                     *       "sdkVersion": "1.0.0",
                     *       "osVersion": "18.1",
                     *       "deviceModel": "iPhone16,2",
                     *       "browser": null,
                     *       "standalone": null,
                     *       "sessionCount": 17,
                     *       "lastSessionAt": "2026-01-31T08:00:00.000Z",
                     *       "createdAt": "2025-11-03T17:20:11.000Z",
                     *       "lastActiveAt": "2026-01-31T08:04:30.000Z",
                     *       "lastNotifiedAt": "2026-01-30T18:00:00.000Z",
                     *       "invalidatedAt": null,
                     *       "test": false,
                     *       "user": {
                     *         "id": "671a2b3c4d5e6f7081920a02",
                     *         "externalId": "customer-4711"
                     *       },
                     *       "pushes": [
                     *         {
                     *           "campaignId": "671a2b3c4d5e6f7081920a05",
                     *           "subscriptionId": "671a2b3c4d5e6f7081920a01",
                     *           "userId": "671a2b3c4d5e6f7081920a02",
                     *           "platform": "ios",
                     *           "variant": null,
                     *           "outcome": "sent",
                     *           "code": null,
                     *           "providerCode": "200",
                     *           "attempts": 1,
                     *           "settledAt": "2026-01-13T18:30:00.000Z",
                     *           "engagements": [
                     *             "opened"
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ReadSubscriptionOfAppAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteSubscriptionOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a01 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeSubscriptionOfApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a01 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeSubscriptionOfAppBody"];
            };
        };
        responses: {
            /** @description Change what a device said of itself, whether it is opted in, or whether it is a test device */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a01",
                     *       "platform": "ios",
                     *       "token": "740f4707…",
                     *       "optedIn": true,
                     *       "appVersion": "4.2.0",
                     *       "sdkVersion": "1.0.0",
                     *       "osVersion": "18.1",
                     *       "deviceModel": "iPhone16,2",
                     *       "browser": null,
                     *       "standalone": null,
                     *       "sessionCount": 17,
                     *       "lastSessionAt": "2026-01-31T08:00:00.000Z",
                     *       "createdAt": "2025-11-03T17:20:11.000Z",
                     *       "lastActiveAt": "2026-01-31T08:04:30.000Z",
                     *       "lastNotifiedAt": "2026-01-30T18:00:00.000Z",
                     *       "invalidatedAt": null,
                     *       "test": true,
                     *       "user": {
                     *         "id": "671a2b3c4d5e6f7081920a02",
                     *         "externalId": "customer-4711"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ChangeSubscriptionOfAppAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-limit_reached"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listImports: {
        parameters: {
            query?: {
                /** @description The most items of a page. */
                limit?: number;
                /** @description Continues a list: the `nextCursor` of the previous answer. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List imports, newest first; they are kept for 30 days */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a0b",
                     *           "state": "finished",
                     *           "format": "onesignal_csv",
                     *           "dryRun": false,
                     *           "onExisting": "keep",
                     *           "web": "skip",
                     *           "columns": null,
                     *           "assumeOptedIn": false,
                     *           "maxRowsPerSecond": null,
                     *           "offset": 1048576,
                     *           "rows": 4000,
                     *           "bytes": 1048576,
                     *           "created": 3900,
                     *           "updated": 0,
                     *           "kept": 0,
                     *           "rejected": 100,
                     *           "byCode": {
                     *             "web_skipped": 100
                     *           },
                     *           "byPlatform": {
                     *             "ios": 2400,
                     *             "android": 1500,
                     *             "web": 0
                     *           },
                     *           "optedOut": 210,
                     *           "warnings": {},
                     *           "rowsPerSecond": 3400,
                     *           "createdAt": "2026-01-13T18:30:00.000Z",
                     *           "endedAt": "2026-01-13T18:31:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ListImportsAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    startImport: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartImportBody"];
            };
        };
        responses: {
            /** @description Begin an import of devices; an app has one at a time */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a0b",
                     *       "state": "receiving",
                     *       "format": "onesignal_csv",
                     *       "dryRun": false,
                     *       "onExisting": "keep",
                     *       "web": "skip",
                     *       "columns": null,
                     *       "assumeOptedIn": false,
                     *       "maxRowsPerSecond": null,
                     *       "offset": 0,
                     *       "rows": 0,
                     *       "bytes": 0,
                     *       "created": 0,
                     *       "updated": 0,
                     *       "kept": 0,
                     *       "rejected": 0,
                     *       "byCode": {},
                     *       "byPlatform": {
                     *         "ios": 0,
                     *         "android": 0,
                     *         "web": 0
                     *       },
                     *       "optedOut": 0,
                     *       "warnings": {},
                     *       "rowsPerSecond": null,
                     *       "createdAt": "2026-01-13T18:30:00.000Z",
                     *       "endedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["StartImportAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-invalid_state"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    sendImportData: {
        parameters: {
            query: {
                /** @description Where in the file this part begins: the `offset` of the import. */
                offset: number;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a00 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "text/csv": string;
                "application/x-ndjson": string;
            };
        };
        responses: {
            /** @description Send the file of an import, or a part of it from the offset on */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a0b",
                     *       "state": "receiving",
                     *       "format": "onesignal_csv",
                     *       "dryRun": false,
                     *       "onExisting": "keep",
                     *       "web": "skip",
                     *       "columns": null,
                     *       "assumeOptedIn": false,
                     *       "maxRowsPerSecond": null,
                     *       "offset": 1048576,
                     *       "rows": 4000,
                     *       "bytes": 1048576,
                     *       "created": 3900,
                     *       "updated": 0,
                     *       "kept": 0,
                     *       "rejected": 100,
                     *       "byCode": {
                     *         "web_skipped": 100
                     *       },
                     *       "byPlatform": {
                     *         "ios": 2400,
                     *         "android": 1500,
                     *         "web": 0
                     *       },
                     *       "optedOut": 210,
                     *       "warnings": {},
                     *       "rowsPerSecond": 3400,
                     *       "createdAt": "2026-01-13T18:30:00.000Z",
                     *       "endedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["SendImportDataAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-invalid_state"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    finishImport: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a00 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description End an import: its file is complete */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a0b",
                     *       "state": "finished",
                     *       "format": "onesignal_csv",
                     *       "dryRun": false,
                     *       "onExisting": "keep",
                     *       "web": "skip",
                     *       "columns": null,
                     *       "assumeOptedIn": false,
                     *       "maxRowsPerSecond": null,
                     *       "offset": 1048576,
                     *       "rows": 4000,
                     *       "bytes": 1048576,
                     *       "created": 3900,
                     *       "updated": 0,
                     *       "kept": 0,
                     *       "rejected": 100,
                     *       "byCode": {
                     *         "web_skipped": 100
                     *       },
                     *       "byPlatform": {
                     *         "ios": 2400,
                     *         "android": 1500,
                     *         "web": 0
                     *       },
                     *       "optedOut": 210,
                     *       "warnings": {},
                     *       "rowsPerSecond": 3400,
                     *       "createdAt": "2026-01-13T18:30:00.000Z",
                     *       "endedAt": "2026-01-13T18:31:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["FinishImportAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-invalid_state"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readImport: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a00 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read how far an import has come, and what became of its rows */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a0b",
                     *       "state": "receiving",
                     *       "format": "onesignal_csv",
                     *       "dryRun": false,
                     *       "onExisting": "keep",
                     *       "web": "skip",
                     *       "columns": null,
                     *       "assumeOptedIn": false,
                     *       "maxRowsPerSecond": null,
                     *       "offset": 1048576,
                     *       "rows": 4000,
                     *       "bytes": 1048576,
                     *       "created": 3900,
                     *       "updated": 0,
                     *       "kept": 0,
                     *       "rejected": 100,
                     *       "byCode": {
                     *         "web_skipped": 100
                     *       },
                     *       "byPlatform": {
                     *         "ios": 2400,
                     *         "android": 1500,
                     *         "web": 0
                     *       },
                     *       "optedOut": 210,
                     *       "warnings": {},
                     *       "rowsPerSecond": 3400,
                     *       "createdAt": "2026-01-13T18:30:00.000Z",
                     *       "endedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["ReadImportAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    cancelImport: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a00 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-invalid_state"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listImportErrors: {
        parameters: {
            query?: {
                /** @description The most items of a page. */
                limit?: number;
                /** @description Continues a list: the `nextCursor` of the previous answer. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a06 */
                appId: string;
                /** @example 671a2b3c4d5e6f7081920a00 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List why rows of an import were rejected, in their order: the first 10,000 */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "row": 17,
                     *           "column": "token",
                     *           "code": "invalid_token",
                     *           "message": "must be 64 hexadecimal characters"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ListImportErrorsAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readAdministrationDocument: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description This document */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readSession: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the session of the cookie; 401 when there is none */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "Dana",
                     *       "expiresAt": "2026-02-01T20:00:00.000Z",
                     *       "csrfToken": "h8Yk1n0pQb3sWcD5mZr7tVx9uEa2fGj4iKl6oNq8RwY",
                     *       "scopes": [
                     *         "read",
                     *         "send",
                     *         "people",
                     *         "settings"
                     *       ],
                     *       "appId": null
                     *     }
                     */
                    "application/json": components["schemas"]["ReadSessionAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    beginSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON of at most 4 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["BeginSessionBody"];
            };
        };
        responses: {
            /** @description Sign in with the administration token, an administration key or the code of a sign-in link; sets the cookie of the session */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "Dana",
                     *       "expiresAt": "2026-02-01T20:00:00.000Z",
                     *       "csrfToken": "h8Yk1n0pQb3sWcD5mZr7tVx9uEa2fGj4iKl6oNq8RwY",
                     *       "scopes": [
                     *         "read",
                     *         "send",
                     *         "people",
                     *         "settings"
                     *       ],
                     *       "appId": null
                     *     }
                     */
                    "application/json": components["schemas"]["BeginSessionAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the sessions that last, the one that was used last first: at most 200 */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "697e5f0b3c4d5e6f70819203",
                     *           "name": "Dana",
                     *           "browser": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
                     *           "createdAt": "2026-02-01T08:00:00.000Z",
                     *           "lastUsedAt": "2026-02-01T08:04:00.000Z",
                     *           "keyName": null,
                     *           "isThis": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ListSessionsAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    endSessionById: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a00 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    makeSignInLink: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["MakeSignInLinkBody"];
            };
        };
        responses: {
            /** @description Make a link that signs in once, within ten minutes */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "url": "https://push.shop.example/dashboard/#code=q3J1m2Wm0c9Z2bX7v5K8nT4yR6uE1oP0sD3fG7hJ9kL",
                     *       "expiresAt": "2026-02-01T08:10:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["MakeSignInLinkAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    takeSimulatedAccount: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TakeSimulatedAccountBody"];
            };
        };
        responses: {
            /** @description Give an app that has no credentials of a kind an account at the simulated provider */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": "apns"
                     *     }
                     */
                    "application/json": components["schemas"]["TakeSimulatedAccountAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-invalid_state"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-queue_unavailable-database_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSimulatedDevices: {
        parameters: {
            query: {
                appId: string;
                /** @description The most items of a page. */
                limit?: number;
                /** @description Continues a list: the `nextCursor` of the previous answer. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the virtual devices that an app reaches, newest first; those that an operator added come before the demo’s */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "ios-300",
                     *           "platform": "ios",
                     *           "name": "Dana’s iPhone",
                     *           "byHand": true,
                     *           "subscriptionId": "671a2b3c4d5e6f7081920a01",
                     *           "environment": "production",
                     *           "behaviour": {
                     *             "answer": "ok",
                     *             "retryAfterSeconds": null,
                     *             "delayMs": null
                     *           }
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ListSimulatedDevicesAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-queue_unavailable-database_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    addSimulatedDevice: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddSimulatedDeviceBody"];
            };
        };
        responses: {
            /** @description Add a virtual phone or browser, and register it */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "ios-300",
                     *       "platform": "ios",
                     *       "name": "Dana’s iPhone",
                     *       "byHand": true,
                     *       "subscriptionId": "671a2b3c4d5e6f7081920a01",
                     *       "environment": "production",
                     *       "behaviour": {
                     *         "answer": "ok",
                     *         "retryAfterSeconds": null,
                     *         "delayMs": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AddSimulatedDeviceAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-invalid_state-limit_reached"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-queue_unavailable-database_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setSimulatedBehaviour: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example ios-300 */
                deviceId: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetSimulatedBehaviourBody"];
            };
        };
        responses: {
            /** @description Say what a virtual device answers from now on: ok, dead, slow, throttled and others */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "ios-300",
                     *       "platform": "ios",
                     *       "name": "Dana’s iPhone",
                     *       "byHand": true,
                     *       "subscriptionId": "671a2b3c4d5e6f7081920a01",
                     *       "environment": "production",
                     *       "behaviour": {
                     *         "answer": "slow",
                     *         "retryAfterSeconds": null,
                     *         "delayMs": 3000
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SetSimulatedBehaviourAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-queue_unavailable-database_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeSimulatedDevice: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example ios-300 */
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-queue_unavailable-database_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSimulatedPushes: {
        parameters: {
            query: {
                appId: string;
                /** @description The most items of a page. */
                limit?: number;
                /** @description Continues a list: the `nextCursor` of the previous answer. */
                cursor?: string;
                deviceId?: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List what the virtual devices of an app got, newest first, among the newest 20,000 pushes */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "seq": 42,
                     *           "at": "2026-01-13T18:30:00.123Z",
                     *           "deviceId": "ios-300",
                     *           "platform": "ios",
                     *           "environment": "production",
                     *           "subscriptionId": "671a2b3c4d5e6f7081920a01",
                     *           "userId": "671a2b3c4d5e6f7081920a02",
                     *           "campaignId": "671a2b3c4d5e6f7081920a05",
                     *           "variant": "a",
                     *           "msgId": "NjcxYTJiM2M0ZDVlNmY3MDgxOTIwYTA2.h8Yk1n0pQb3sWcD5mZr7tV",
                     *           "shown": {
                     *             "title": "Shipped",
                     *             "body": "On its way",
                     *             "url": "https://shop.example/orders/17",
                     *             "image": null,
                     *             "actions": [
                     *               {
                     *                 "id": "track",
                     *                 "title": "Track it",
                     *                 "url": "https://shop.example/track/17"
                     *               }
                     *             ],
                     *             "badge": null,
                     *             "sound": "default"
                     *           },
                     *           "data": {
                     *             "order": "17"
                     *           },
                     *           "headers": {
                     *             "topic": "com.example.shop",
                     *             "pushType": "alert",
                     *             "priority": "10"
                     *           },
                     *           "bytes": 412,
                     *           "payload": {
                     *             "aps": {
                     *               "alert": {
                     *                 "title": "Shipped",
                     *                 "body": "On its way"
                     *               }
                     *             },
                     *             "herald": {
                     *               "msgId": "NjcxYTJiM2M0ZDVlNmY3MDgxOTIwYTA2.h8Yk1n0pQb3sWcD5mZr7tV"
                     *             }
                     *           },
                     *           "error": null
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ListSimulatedPushesAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-queue_unavailable-database_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    watchSimulator: {
        parameters: {
            query: {
                appId: string;
            };
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Watch what virtual devices get, as server-sent events */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-queue_unavailable-database_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readSystem: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.
                 * @example Ann Miller
                 */
                "x-admin-actor"?: components["parameters"]["AdminActor"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read how Herald as a whole is doing; what cannot be known now is null */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": "0.1.0",
                     *       "baseUrl": "https://push.shop.example",
                     *       "database": "ready",
                     *       "standby": "synchronous",
                     *       "queue": "ready",
                     *       "ledgerDifference": 0,
                     *       "openCircuits": {
                     *         "count": 1,
                     *         "items": [
                     *           {
                     *             "appId": "671a2b3c4d5e6f7081920a06",
                     *             "platform": "ios",
                     *             "environment": "production",
                     *             "code": "credentials_invalid",
                     *             "since": "2026-01-13T18:30:00.000Z",
                     *             "probeAt": "2026-01-13T18:30:30.000Z"
                     *           }
                     *         ]
                     *       },
                     *       "trustedProxies": true,
                     *       "simulator": false
                     *     }
                     */
                    "application/json": components["schemas"]["SystemRead"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
