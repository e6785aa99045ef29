//go:build go1.26

package fips

// lifted is what Enforced says within WithoutEnforcement.
const lifted = "false"
